#include "core/option.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/error.h"

namespace hybrid {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

constexpr std::string_view kVariablePrefix = "HYBRID_";

}  // namespace

std::string_view closest_name(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t best_distance = name.size() / 3 + 2;  // at this distance it is another word, not a misspelling
  for (std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) best = candidate, best_distance = distance;
  }
  return best;
}

bool is_same_name(std::string_view a, std::string_view b) {
  const auto plain = [](char c) {
    return c == '-' || c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, plain, plain);
}

std::string_view closest_variable(std::string_view variable, const std::vector<std::string_view>& known) {
  if (!variable.starts_with(kVariablePrefix)) return {};
  // The common prefix would make all short names similar.
  std::vector<std::string_view> names;
  for (std::string_view name : known)
    if (name.starts_with(kVariablePrefix)) names.push_back(name.substr(kVariablePrefix.size()));
  const std::string_view closest = closest_name(variable.substr(kVariablePrefix.size()), names);
  if (closest.empty()) return {};
  return *std::find_if(known.begin(), known.end(), [&](std::string_view name) {
    return name.starts_with(kVariablePrefix) && name.substr(kVariablePrefix.size()) == closest;
  });
}

std::string environment_name(std::string_view option) {
  std::string name(kVariablePrefix);
  for (char c : option)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

void OptionTable::add(Option option) {
  if (find(option.name) != nullptr) throw std::logic_error("option added twice: " + option.name);
  options_.push_back(std::move(option));
}

const Option* OptionTable::find(std::string_view name) const {
  const auto it =
      std::find_if(options_.begin(), options_.end(), [&](const Option& o) { return o.name == name; });
  return it == options_.end() ? nullptr : &*it;
}

std::vector<const Option*> OptionTable::in_order() const {
  std::vector<const Option*> order;
  order.reserve(options_.size());
  for (const bool first : {true, false})
    for (const Option& option : options_)
      if (option.first == first) order.push_back(&option);
  return order;
}

void OptionTable::set(std::string_view name, std::string_view value, std::string_view origin) const {
  const Option* option = find(name);
  if (option == nullptr) {
    std::vector<std::string_view> names;
    names.reserve(options_.size());
    for (const Option& o : options_) names.push_back(o.name);
    const std::string_view closest = closest_name(name, names);
    throw UserError(std::string(origin) + ": unknown option '" + std::string(name) + "'",
                    closest.empty() ? "" : "Did you mean '" + std::string(closest) + "'?");
  }
  try {
    option->set(value);
  } catch (const UserError& error) {
    // Not "--nodes: nodes: ...".
    std::string_view what = error.what();
    if (origin == "--" + std::string(name) && what.starts_with(name))
      for (const std::string_view after : {": ", " "})
        if (what.substr(name.size()).starts_with(after)) {
          what.remove_prefix(name.size() + after.size());
          break;
        }
    throw UserError(std::string(origin) + ": " + std::string(what));
  }
}

std::vector<std::string> OptionTable::set_from_environment(const char* const* environment) const {
  std::map<std::string_view, std::string_view> variables;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = entry.find('=');
    if (entry.starts_with(kVariablePrefix) && equals != std::string_view::npos)
      variables.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  for (const Option* option : in_order()) {
    const std::string name = environment_name(option->name);
    const auto variable = variables.find(name);
    if (variable == variables.end()) continue;
    const std::string_view value = variable->second;
    variables.erase(variable);
    if (value.empty()) continue;
    set(option->name, value, name);
  }
  std::vector<std::string> unknown;
  unknown.reserve(variables.size());
  for (const auto& [name, value] : variables) unknown.emplace_back(name);
  return unknown;
}

}  // namespace hybrid
