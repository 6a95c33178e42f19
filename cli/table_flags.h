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
  /// Adds a flag `--NAME` for each option that `table` holds now and that has none yet, under `group` in the
  /// help. `short_names`: option -> letter ("output" -> "o").
  void declare(CommandLine& line, const OptionTable& table, const std::string& group,
               const std::map<std::string, std::string, std::less<>>& short_names = {});

  /// Of these two only one can be, where they are given alike. One that is given by flag beats the other's
  /// variable and key in a file, one by variable the other's key.
  void exclude(std::string one, std::string other);
  /// Variable and key `name` mean something else to other commands: they are passed over.
  void take_only_as_flag(std::string name);
  /// Whether another command takes `value` for option `name`: then a variable or key that this one refuses is
  /// passed over.
  void pass_over_if(std::function<bool(const std::string& name, std::string_view value)> others_take);

  /// After parsing: applies the options that come first (Option::first), wherever they are given, then a
  /// configuration file, then the HYBRID_* variables, then the flags, each in the table's order, so that
  /// flags win over variables and these over the file. Returns the HYBRID_* variables that the table does not
  /// know.
  std::vector<std::string> apply(const OptionTable& table, const char* const* environment);

  using Names = std::set<std::string, std::less<>>;

  /// The flags that were given, with their values, in no particular order.
  std::map<std::string, std::string, std::less<>> given() const;
  /// What was asked for in this run's own words: the flags that were given, and, after apply(), the keys of
  /// the configuration file. Variables are not among them: they are there for every command.
  Names names_given() const;

 private:
  struct Flag {
    std::string name;
    bool given = false;
    std::string value;
  };
  /// `table` without what those of `given` exclude, to be set from outside the command line.
  OptionTable beside(const Names& given, const OptionTable& table) const;

  std::vector<std::pair<std::string, std::string>> exclusive_;
  Names only_flags_;
  Names in_file_;
  std::function<bool(const std::string&, std::string_view)> others_take_;
  std::deque<Flag> flags_;  // addresses stay, the parser stores into them
};

}  // namespace hybrid
