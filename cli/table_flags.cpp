#include "cli/table_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace hybrid {

void TableFlags::declare(CLI::App& app, const OptionTable& table, const std::string& group,
                         const std::map<std::string, std::string, std::less<>>& short_names) {
  for (const Option& option : table.options()) {
    const bool known =
        std::any_of(flags_.begin(), flags_.end(), [&](const Flag& f) { return f.name == option.name; });
    if (known) continue;
    Flag& flag = flags_.emplace_back();
    flag.name = option.name;
    const auto letter = short_names.find(option.name);
    const std::string names =
        (letter == short_names.end() ? "" : "-" + letter->second + ",") + "--" + option.name;
    const std::string help =
        option.help +
        (option.default_text.empty() || option.value.empty() ? "" : " [" + option.default_text + "]");
    if (option.value.empty()) {
      app.add_flag_callback(names, [&flag] { flag.given = true; }, help)->group(group);
    } else {
      app.add_option_function<std::string>(
             names,
             [&flag](const std::string& value) {
               flag.given = true;
               flag.value = value;
             },
             help)
          ->type_name(option.value)
          ->take_last()
          ->group(group);
    }
  }
}

std::map<std::string, std::string, std::less<>> TableFlags::given() const {
  std::map<std::string, std::string, std::less<>> given;
  for (const Flag& flag : flags_)
    if (flag.given) given.emplace(flag.name, flag.value);
  return given;
}

std::vector<std::string> TableFlags::apply(const OptionTable& table, const char* const* environment) const {
  auto flags = given();
  std::vector<const char*> variables;
  for (; environment != nullptr && *environment != nullptr; ++environment) variables.push_back(*environment);
  // A file given by flag replaces that of the variable; either comes first, though its flag would win over
  // variables.
  if (const auto config = flags.find("config"); config != flags.end()) {
    table.set("config", config->second, "--config");
    flags.erase(config);
    std::erase_if(variables, [](std::string_view v) { return v.starts_with("HYBRID_CONFIG="); });
  }
  variables.push_back(nullptr);
  std::vector<std::string> unknown = table.set_from_environment(variables.data());
  for (const Option& option : table.options())
    if (const auto flag = flags.find(option.name); flag != flags.end())
      table.set(option.name, flag->second, "--" + option.name);
  return unknown;
}

}  // namespace hybrid
