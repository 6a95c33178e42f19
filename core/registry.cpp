#include "core/registry.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "core/option.h"

namespace hybrid {

namespace registry_detail {

namespace {
// Written by static initialisers only. A local static, so that it is initialised before the first of them.
const Node*& head() {
  static const Node* first = nullptr;
  return first;
}
}  // namespace

Node::Node(std::string_view kind, std::string_view name, std::string_view description, Uses uses)
    : Listing{kind, name, description, &uses_}, next(head()), uses_(std::move(uses)) {
  head() = this;
}

namespace {
/// The part of the product's name before its argument: "serial:" of "serial:DEVICE".
std::string_view before_argument(const Node& node) { return node.name.substr(0, node.name.find(':') + 1); }

/// nullptr: none.
const Node* find_or_null(std::string_view kind, std::string_view name) {
  for (const Node* node = head(); node != nullptr; node = node->next) {
    const std::string_view start = node->uses->argument ? before_argument(*node) : node->name;
    if (node->kind == kind &&
        (node->uses->argument ? name.starts_with(start) && name != start : name == start))
      return node;
  }
  return nullptr;
}
}  // namespace

const Node& find(std::string_view kind, std::string_view name) {
  if (const Node* const node = find_or_null(kind, name)) return *node;
  const auto known = registered_names(kind);
  std::string list;
  for (std::string_view k : known) list += (list.empty() ? "" : ", ") + std::string(k);
  const std::string_view closest = closest_name(name, known);
  throw UserError("unknown " + std::string(kind) + " '" + std::string(name) + "'; expected one of: " + list,
                  closest.empty() ? "" : "Did you mean '" + std::string(closest) + "'?");
}

}  // namespace registry_detail

std::vector<Listing> listings() {
  std::vector<Listing> all;
  for (const auto* node = registry_detail::head(); node != nullptr; node = node->next) all.push_back(*node);
  std::sort(all.begin(), all.end(), [](const Listing& a, const Listing& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.name < b.name;
  });
  return all;
}

std::vector<std::string_view> registered_names(std::string_view kind) {
  std::vector<std::string_view> names;
  for (const Listing& listing : listings())
    if (listing.kind == kind) names.push_back(listing.name);
  return names;
}

OptionNames joined(std::initializer_list<OptionNames> groups) {
  OptionNames all;
  for (const OptionNames& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

bool is_stated_option(std::string_view kind, std::string_view option) {
  for (const auto* node = registry_detail::head(); node != nullptr; node = node->next)
    if (node->kind == kind && std::ranges::find(node->uses->options, option) != node->uses->options.end())
      return true;
  return false;
}

bool uses_option(std::string_view kind, std::string_view name, std::string_view option) {
  const OptionNames& stated = registry_detail::find(kind, name).uses->options;
  return std::ranges::find(stated, option) != stated.end() || !is_stated_option(kind, option);
}

bool is_registered(std::string_view kind, std::string_view name) {
  return registry_detail::find_or_null(kind, name) != nullptr;
}

std::string_view argument_in(std::string_view kind, std::string_view name) {
  const registry_detail::Node& node = registry_detail::find(kind, name);
  return node.uses->argument ? name.substr(name.find(':') + 1) : std::string_view{};
}

bool runs_on_fat_trees(std::string_view kind, std::string_view name) {
  return registry_detail::find(kind, name).uses->fat_trees;
}

}  // namespace hybrid
