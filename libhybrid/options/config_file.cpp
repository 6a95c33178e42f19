#include <fmt/format.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/option.h"
#include "emulator/traffic/simulate.h"
#include "libhybrid/options/job_options.h"

namespace hybrid {

namespace {

std::string place(const std::string& path, const toml::source_region& source) {
  return fmt::format("{}:{}:{}", path, source.begin.line, source.begin.column);
}

// The value in the form of the command line.
std::string text_of(const toml::node& node, const std::string& where, std::string_view key, bool nested) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "on" : "off";
  std::string list;
  const auto append = [&](const std::string& part) { list += (list.empty() ? "" : ",") + part; };
  if (const auto* array = node.as_array(); array != nullptr && !nested) {
    for (const toml::node& element : *array) append(text_of(element, where, key, true));
    return list;
  }
  if (const auto* table = node.as_table(); table != nullptr && key == "algorithm") {
    for (const auto& [name, value] : *table)
      append(std::string(name.str()) + "=" + text_of(value, where, key, true));
    return list;
  }
  throw UserError(fmt::format("{}: '{}' has a value of a type that no option takes", where, key),
                  "Give a string, a number, true or false, or an array of these.");
}

void require_known(const toml::table& file, const OptionTable& table, const std::string& path) {
  for (const auto& [key, value] : file) {
    const std::string where = place(path, key.source());
    if (key.str() == "config") throw UserError(where + ": a config file cannot name another one");
    const auto& all = names_of_all_options();
    if (table.find(key.str()) != nullptr || std::find(all.begin(), all.end(), key.str()) != all.end())
      continue;
    const std::string_view closest = closest_name(key.str(), {all.begin(), all.end()});
    throw UserError(where + ": unknown option '" + std::string(key.str()) + "'",
                    closest.empty() ? "" : "Did you mean '" + std::string(closest) + "'?");
  }
}

}  // namespace

const std::vector<std::string>& names_of_all_options() {
  static const std::vector<std::string> all = [] {
    JobOptions job;
    TrafficOptions traffic;
    OptionTable jobs, patterns;  // some names are in both
    add_job_options(jobs, job);
    add_traffic_options(patterns, traffic);
    std::vector<std::string> names;
    for (const OptionTable* table : {&jobs, &patterns})
      for (const Option& option : table->options()) names.push_back(option.name);
    // Options that are declared in cli/: of `hybrid simulate`, then of `hybrid schedule`. A test of cli/
    // compares.
    names.insert(names.end(), {"commands", "commands-output", "timeline"});
    names.insert(names.end(), {"requests", "density", "sizes", "repeats", "steps", "demand", "partial"});
    return names;
  }();
  return all;
}

void apply_config_file(const std::string& path, const OptionTable& table) {
  std::error_code error;
  if (::access(path.c_str(), R_OK) != 0)
    throw UserError("config: " + unreadable(path, errno), "Give the path of a TOML file.");
  if (std::filesystem::is_directory(path, error))
    throw UserError("config: '" + path + "' is a directory", "Give the path of a TOML file.");
  toml::table file;
  try {
    file = toml::parse_file(path);
  } catch (const toml::parse_error& parse_error) {
    throw UserError(place(path, parse_error.source()) + ": " + std::string(parse_error.description()));
  }
  require_known(file, table, path);
  for (const Option* option : table.in_order()) {
    const toml::node* value = file.get(option->name);
    if (value == nullptr) continue;
    const std::string where = place(path, value->source());
    std::string text = text_of(*value, where, option->name, false);
    // For an option that is no switch the error names the value as it is written in the file.
    if (const auto* truth = value->as_boolean();
        truth != nullptr && !option->value.empty() && option->value.find("on|off") == std::string::npos)
      text = truth->get() ? "true" : "false";
    table.set(option->name, text, where);
  }
}

std::vector<std::string> apply_environment(const OptionTable& table, const char* const* environment) {
  static constexpr std::string_view kConfig = "HYBRID_CONFIG=";
  std::string config;
  std::vector<const char*> rest;
  OptionTable for_file;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    const bool names_file = variable.starts_with(kConfig) && table.find("config") != nullptr;
    if (names_file) config = variable.substr(kConfig.size());
    if (!names_file) rest.push_back(*environment);
  }
  rest.push_back(nullptr);
  if (config.empty()) return table.set_from_environment(rest.data());
  for (const Option& option : table.options()) {
    const std::string name = environment_name(option.name) + "=";
    const auto given = std::find_if(rest.begin(), rest.end() - 1, [&](const char* variable) {
      return std::string_view(variable).starts_with(name) && variable[name.size()] != '\0';
    });
    if (!option.first || given == rest.end() - 1) {
      for_file.add(option);
      continue;
    }
    table.set(option.name, *given + name.size(), environment_name(option.name));
    rest.erase(given);
  }
  try {
    apply_config_file(config, for_file);
  } catch (const UserError& error) {
    throw UserError("HYBRID_CONFIG: " + std::string(error.what()));
  }
  return table.set_from_environment(rest.data());
}

}  // namespace hybrid
