#include "cli/table_flags.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {
namespace {

// The options that most users need; the others are in --help all.
constexpr std::array<std::string_view, 13> kBasic = {
    "output",          "technique",    "nodes",   "preset",  "slots",    "hints", "link-rate",
    "reconfiguration", "packet-plane", "pattern", "message", "messages", "load"};

}  // namespace

void TableFlags::declare(CommandLine& line, const OptionTable& table, const std::string& group,
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
      line.add_flag(names, help, [&flag] { flag.given = true; }, group);
    } else {
      line.add_option(
          names, option.value, help,
          [&flag](const std::string& value) {
            flag.given = true;
            flag.value = value;
          },
          group);
    }
    if (std::ranges::find(kBasic, option.name) == kBasic.end()) line.hide_in_short_help("--" + option.name);
  }
}

std::map<std::string, std::string, std::less<>> TableFlags::given() const {
  std::map<std::string, std::string, std::less<>> given;
  for (const Flag& flag : flags_)
    if (flag.given) given.emplace(flag.name, flag.value);
  return given;
}

TableFlags::Names TableFlags::names_given() const {
  Names names = in_file_;
  for (const Flag& flag : flags_)
    if (flag.given) names.insert(flag.name);
  return names;
}

void TableFlags::exclude(std::string one, std::string other) {
  exclusive_.emplace_back(std::move(one), std::move(other));
}

void TableFlags::accept_only_as_flag(std::string name) { only_flags_.insert(std::move(name)); }

void TableFlags::ignore_if(std::function<bool(const std::string&, std::string_view)> others_accept) {
  others_accept_ = std::move(others_accept);
}

OptionTable TableFlags::settable(const Names& given, const OptionTable& table) const {
  Names excluded = only_flags_;
  for (const auto& [one, other] : exclusive_) {
    if (given.contains(one) && !given.contains(other)) excluded.insert(other);
    if (given.contains(other) && !given.contains(one)) excluded.insert(one);
  }
  OptionTable rest;
  for (Option option : table.options()) {
    if (excluded.contains(option.name)) continue;
    if (others_accept_)
      option.set = [this, name = option.name, set = option.set](std::string_view value) {
        try {
          set(value);
        } catch (const UserError&) {
          if (name == "config" || !others_accept_(name, value)) throw;
        }
      };
    rest.add(std::move(option));
  }
  return rest;
}

std::vector<std::string> TableFlags::apply(const OptionTable& table, const char* const* environment) {
  const auto flags = given();
  Names in_flags, in_variables;
  std::map<std::string, std::string, std::less<>> first_variables;
  for (const auto& [name, value] : flags) in_flags.insert(name);
  std::string config, origin = "--config";  // a file given by flag replaces the one of the variable
  if (const auto flag = flags.find("config"); flag != flags.end()) config = flag->second;
  std::vector<const char*> variables;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    static constexpr std::string_view kConfig = "HYBRID_CONFIG=";
    const std::string_view variable = *environment;
    if (table.find("config") != nullptr && variable.starts_with(kConfig)) {
      if (config.empty()) config = variable.substr(kConfig.size()), origin = "HYBRID_CONFIG";
      continue;
    }
    bool first = false;
    for (const Option& option : table.options()) {
      const std::string name = environment_name(option.name) + "=";
      if (!variable.starts_with(name) || variable.ends_with('=')) continue;
      in_variables.insert(option.name);
      first = option.first;
      if (first) first_variables.emplace(option.name, variable.substr(name.size()));
    }
    if (!first) variables.push_back(*environment);
  }
  variables.push_back(nullptr);
  const OptionTable for_variables = settable(in_flags, table);
  Names in_both = in_flags;
  in_both.merge(in_variables);
  const OptionTable may_be_in_file = settable(in_both, for_variables);
  OptionTable for_file;
  for (Option option : may_be_in_file.options()) {
    if (option.first && in_both.contains(option.name)) continue;
    option.set = [this, name = option.name, set = option.set](std::string_view value) {
      set(value);
      in_file_.insert(name);
    };
    for_file.add(std::move(option));
  }
  // Options with Option::first are overridden by all others, from any source.
  for (const Option* option : for_variables.in_order()) {
    if (!option->first) break;
    const auto variable = first_variables.find(option->name);
    if (const auto flag = flags.find(option->name); flag != flags.end())
      table.set(option->name, flag->second, "--" + option->name);
    else if (variable != first_variables.end())
      for_variables.set(option->name, variable->second, environment_name(option->name));
  }
  if (!config.empty()) {
    try {
      apply_config_file(config, for_file);
    } catch (const UserError& error) {
      std::string_view what = error.what();
      if (what.starts_with("config: ")) what.remove_prefix(8);
      throw UserError(origin + ": " + std::string(what));
    }
  }
  std::vector<std::string> unknown = for_variables.set_from_environment(variables.data());
  for (const Option& option : table.options())
    if (const auto flag = flags.find(option.name);
        flag != flags.end() && option.name != "config" && !option.first)
      table.set(option.name, flag->second, "--" + option.name);
  return unknown;
}

}  // namespace hybrid
