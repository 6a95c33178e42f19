#include "cli/schedule_file.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"

namespace hybrid {

namespace {
constexpr const char* kForm = R"(Write {"slots": [[[0, 1], [2, 3]], [[0, 2]]]}, or use what --output wrote.)";
}

std::vector<Configuration> read_slots(const std::string& path, std::uint32_t ports) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw UserError("preload: cannot read '" + path + "'", "Name a file of slots, as --output writes it.");
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(file);
  } catch (const nlohmann::json::parse_error& error) {
    throw UserError(fmt::format("{}: {}", path, error.what()), kForm);
  }
  if (!json.is_object() || !json.contains("slots") || !json["slots"].is_array())
    throw UserError(path + ": no array \"slots\" in it", kForm);

  std::vector<Configuration> slots;
  for (const auto& slot : json["slots"]) {
    if (!slot.is_array())
      throw UserError(fmt::format("{}: slot {} is not an array of connections", path, slots.size()), kForm);
    Configuration configuration(ports);
    for (const auto& pair : slot) {
      const auto fail = [&](const std::string& problem, const std::string& mend) {
        throw UserError(
            fmt::format("{}: slot {}, connection {}: {}", path, slots.size(), pair.dump(), problem), mend);
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
