// OptionTable: one declarative table of options for command-line flags, TOML keys and HYBRID_* variables. A
// setting has one name, one default and one help text in all three.
//
// `slot-length` is the flag --slot-length, the TOML key slot-length and the variable HYBRID_SLOT_LENGTH:
//
//   OptionTable table;
//   table.add({"slot-length", "TIME", "duration of a TDM slot", "100ns",
//              [&](std::string_view v) { slot_length = parse_time(v, "slot-length"); }});
//   table.set("slot-length", "200ns", "--slot-length");
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid {

struct Option {
  std::string name;          // lower case with dashes
  std::string value;         // placeholder in the help: "TIME", "BYTES", "greedy|...", "" for a switch
  std::string help;          // one line
  std::string default_text;  // as a user would write it; "" if there is none
  std::function<void(std::string_view)> set;  // parses and stores the value; throws UserError
  bool first = false;  // sets other options (a preset): applied before all options from all origins
};

class OptionTable {
 public:
  /// Adds an option. Throws std::logic_error if the name exists.
  void add(Option option);
  const std::vector<Option>& options() const { return options_; }
  /// The option `name`, or nullptr.
  const Option* find(std::string_view name) const;

  /// The options in the order of application: those with `first`, then the others, each as they were added.
  std::vector<const Option*> in_order() const;

  /// Sets `name` to `value`. `origin` is the place of the setting ("--slots", "HYBRID_SLOTS", "run.toml:3"),
  /// for error messages. Throws UserError for an invalid value, and for an unknown name (with the closest
  /// known name as suggestion).
  void set(std::string_view name, std::string_view value, std::string_view origin) const;

  /// Applies every non-empty HYBRID_* variable of `environment` ("NAME=value", null-terminated), in_order().
  /// Returns the HYBRID_* variables that match no option; the caller reports them.
  std::vector<std::string> set_from_environment(const char* const* environment) const;

 private:
  std::vector<Option> options_;
};

/// The entry of `known` with the smallest edit distance to `name`, if it is small enough for a misspelling;
/// else "".
std::string_view closest_name(std::string_view name, const std::vector<std::string_view>& known);

/// Whether two names of people differ at most in case, and in '-', '_' or a blank between words.
bool is_same_name(std::string_view a, std::string_view b);

/// closest_name() for HYBRID_* variables, by the name after the prefix.
std::string_view closest_variable(std::string_view variable, const std::vector<std::string_view>& known);

/// "slot-length" -> "HYBRID_SLOT_LENGTH".
std::string environment_name(std::string_view option);

}  // namespace hybrid
