// Options: one declarative table serves command-line flags, TOML keys and HYBRID_* variables alike, so that
// every setting has one name, one default and one explanation wherever it is given.
//
// `slot-length` is the flag --slot-length, the TOML key slot-length and the variable HYBRID_SLOT_LENGTH.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid {

struct Option {
  std::string name;   // lower case with dashes
  std::string value;  // what a value looks like, for the help: "TIME", "BYTES", "greedy|...", "" for a switch
  std::string help;   // one line
  std::string default_text;                   // as a user would write it; "" where there is none
  std::function<void(std::string_view)> set;  // parses and stores; throws UserError
  bool first = false;  // replaces others' values, so that it is applied before all that is given anywhere
};

class OptionTable {
 public:
  /// Adds an option; a name may be added once (a second time is a logic error).
  void add(Option option);
  const std::vector<Option>& options() const { return options_; }
  const Option* find(std::string_view name) const;

  /// The options as they are to be applied: those that come first, then the others, as they were added.
  std::vector<const Option*> in_order() const;

  /// Sets `name` to `value`. `origin` says where it was given ("--slots", "HYBRID_SLOTS", "run.toml:3"), for
  /// the error. An unknown name is a UserError that tells the likely meant one.
  void set(std::string_view name, std::string_view value, std::string_view origin) const;

  /// Applies every variable of `environment` ("NAME=value", null-terminated) that starts with HYBRID_ and is
  /// not empty, in_order(). Returns the names of those that no option has (the caller tells the user).
  std::vector<std::string> set_from_environment(const char* const* environment) const;

 private:
  std::vector<Option> options_;
};

/// The entry of `known` closest to `name` if it is close enough to be what was meant, else "".
std::string_view closest_name(std::string_view name, const std::vector<std::string_view>& known);

/// closest_name() of HYBRID_* variables, by what comes after that.
std::string_view closest_variable(std::string_view variable, const std::vector<std::string_view>& known);

/// "slot-length" -> "HYBRID_SLOT_LENGTH".
std::string environment_name(std::string_view option);

}  // namespace hybrid
