// The options of an OptionTable as command-line flags.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/option.h"

namespace CLI {
class App;
}

namespace hybrid {

class TableFlags {
 public:
  /// Adds a flag `--NAME` for each option that `table` holds now and that has none yet, under `group` in the
  /// help. `short_names`: option -> letter ("output" -> "o").
  void declare(CLI::App& app, const OptionTable& table, const std::string& group,
               const std::map<std::string, std::string, std::less<>>& short_names = {});

  /// After parsing: applies a configuration file, then the HYBRID_* variables, then the flags, each in the
  /// table's order, so that flags win over variables and these over the file. Returns the HYBRID_* variables
  /// that the table does not know.
  std::vector<std::string> apply(const OptionTable& table, const char* const* environment) const;

  /// The flags that were given, with their values, in no particular order.
  std::map<std::string, std::string, std::less<>> given() const;

 private:
  struct Flag {
    std::string name;
    bool given = false;
    std::string value;
  };
  std::deque<Flag> flags_;  // addresses stay, the parser stores into them
};

}  // namespace hybrid
