// The options of an OptionTable as command-line flags.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_line.h"
#include "core/option.h"

namespace hybrid {

class TableFlags {
 public:
  /// Adds a flag `--NAME` for each option of `table` that has none yet, under `group` in the
  /// help. `short_names`: option -> letter ("output" -> "o").
  void declare(CommandLine& line, const OptionTable& table, const std::string& group,
               const std::map<std::string, std::string, std::less<>>& short_names = {});

  /// The two options exclude each other if both are flags, both variables or both keys. A flag overrides the
  /// variable and the key of the other, a variable the key of the other.
  void exclude(std::string one, std::string other);
  /// The variable and the key `name` have another meaning for other commands and are ignored.
  void accept_only_as_flag(std::string name);
  /// Whether another command accepts `value` for option `name`. An invalid variable or key is then ignored.
  void ignore_if(std::function<bool(const std::string& name, std::string_view value)> others_accept);

  /// After parsing: applies the options with Option::first, from any source; then a configuration file, the
  /// HYBRID_* variables and the flags, each in the order of the table. So flags override variables, and these
  /// the file. Returns the HYBRID_* variables that the table does not contain.
  std::vector<std::string> apply(const OptionTable& table, const char* const* environment);

  using Names = std::set<std::string, std::less<>>;

  /// The flags that were given, with their values, in no particular order.
  std::map<std::string, std::string, std::less<>> given() const;
  /// The names given for this run: the flags and, after apply(), the keys of the configuration file. Without
  /// the variables, which apply to every command.
  Names names_given() const;

 private:
  struct Flag {
    std::string name;
    bool given = false;
    std::string value;
  };
  /// The options of `table` that may be set by other means than flags: without those that `given` excludes.
  OptionTable settable(const Names& given, const OptionTable& table) const;

  std::vector<std::pair<std::string, std::string>> exclusive_;
  Names only_flags_;
  Names in_file_;
  std::function<bool(const std::string&, std::string_view)> others_accept_;
  std::deque<Flag> flags_;  // stable addresses: the parser stores into them
};

}  // namespace hybrid
