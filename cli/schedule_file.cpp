#include "cli/schedule_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace hybrid {

namespace {
constexpr const char* kForm = R"(Write {"slots": [[[0, 1], [2, 3]], [[0, 2]]]}, or use what --output wrote.)";

/// A JSON value in one line; nested values by their type only.
std::string shown(const nlohmann::json& value) {
  constexpr std::size_t kMost = 40;
  const bool flat = std::none_of(value.begin(), value.end(), [](const auto& v) { return v.is_structured(); });
  if (value.is_structured() && !flat) return fmt::format("an {} of others", value.type_name());
  const std::string text = value.dump();
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}
}  // namespace

std::vector<Configuration> read_slots(const std::string& path, std::uint32_t ports) {
  constexpr const char* kName = "Name a file of slots, as --output writes it.";
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw UserError("preload: '" + path + "' is a directory", kName);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UserError("preload: " + unreadable(path, errno), kName);
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(file);
  } catch (const nlohmann::json::exception& fault) {
    std::string_view what = fault.what();  // "[json.exception.parse_error.101] parse error at line 1, ..."
    if (what.starts_with('[')) what.remove_prefix(std::min(what.find(' '), what.size() - 1) + 1);
    throw UserError(fmt::format("{}: {}", path, what), kForm);
  }
  if (!json.is_object() || !json.contains("slots") || !json["slots"].is_array())
    throw UserError(path + ": no array \"slots\" in it", kForm);

  std::vector<Configuration> slots;
  for (const auto& slot : json["slots"]) {
    if (!slot.is_array())
      throw UserError(fmt::format("{}: slot {} is not an array of connections", path, slots.size()), kForm);
    Configuration configuration(ports);
    for (const auto& pair : slot) {
      const auto fail = [&](const std::string& problem, const std::string& fix) {
        throw UserError(
            fmt::format("{}: slot {}, connection {}: {}", path, slots.size(), shown(pair), problem), fix);
      };
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
          !pair[1].is_number_unsigned())
        fail("not a pair of ports", kForm);
      const auto source = pair[0].get<std::uint64_t>(), destination = pair[1].get<std::uint64_t>();
      if (source >= ports || destination >= ports)
        fail(fmt::format("the last port is {}", ports - 1), "Give ports of the switch, or more --nodes.");
      if (source == destination) fail("a port to itself", "Leave it out.");
      if (!configuration.add({static_cast<Port>(source), static_cast<Port>(destination)}))
        fail("one of its ports is in use in this slot", "Give each port once in a slot.");
    }
    slots.push_back(std::move(configuration));
  }
  return slots;
}

}  // namespace hybrid
