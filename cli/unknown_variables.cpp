#include "cli/unknown_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/option.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

std::vector<std::string> all_variables() {
  std::vector<std::string> names;
  for (const std::string& name : names_of_all_options()) names.push_back(environment_name(name));
  return names;
}

}  // namespace

void warn_of_unknown(const std::vector<std::string>& variables) {
  if (variables.empty()) return;
  const std::vector<std::string> all = all_variables();
  const std::vector<std::string_view> known(all.begin(), all.end());
  for (const std::string& variable : variables) {
    if (std::find(known.begin(), known.end(), variable) != known.end()) continue;
    const std::string_view meant = closest_variable(variable, known);
    print_message(Severity::warning,
                  fmt::format("no option has the variable {}{}; see docs/options.md", variable,
                              meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }
}

}  // namespace hybrid
