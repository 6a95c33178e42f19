#include "emulator/tdm/preload_slots.h"

#include <algorithm>

namespace hybrid {

PreloadSlots::PreloadSlots(std::uint32_t ports, std::uint32_t slots)
    : slots_(slots, Configuration(ports)), changed_(slots, false) {}

std::uint32_t PreloadSlots::slot_of(Connection c) const {
  std::uint32_t s = 0;
  while (s < slots_.size() && !slots_[s].holds(c)) ++s;
  return s;
}

bool PreloadSlots::changed() const {
  return std::find(changed_.begin(), changed_.end(), true) != changed_.end();
}

bool PreloadSlots::add(Connection c) {
  if (holds(c)) return true;
  const auto count = static_cast<std::uint32_t>(slots_.size());
  std::uint32_t source_free = count, destination_free = count;
  for (std::uint32_t s = 0; s < count; ++s) {
    const bool source = slots_[s].destination_of(c.source) == kNoPort;
    const bool destination = slots_[s].source_of(c.destination) == kNoPort;
    if (source && destination) {
      changed_[s] = true;
      return slots_[s].add(c);
    }
    if (source && source_free == count) source_free = s;
    if (destination && destination_free == count) destination_free = s;
  }
  if (source_free == count || destination_free == count) return false;

  // The destination is taken in slot a = source_free, and free in b = destination_free. The path from it
  // along a, b, a, ... cannot reach the source, which it could only enter by a. Exchange a and b on the path.
  const std::uint32_t a = source_free, b = destination_free;
  path_[0].clear(), path_[1].clear();
  for (Port output = c.destination; output != kNoPort;) {
    const Port input = slots_[a].source_of(output);
    if (input == kNoPort) break;
    path_[0].push_back({input, output});
    output = slots_[b].destination_of(input);
    if (output != kNoPort) path_[1].push_back({input, output});
  }
  for (const Connection& moved : path_[0]) slots_[a].remove(moved);
  for (const Connection& moved : path_[1]) slots_[b].remove(moved);
  for (const Connection& moved : path_[0]) slots_[b].add(moved);
  for (const Connection& moved : path_[1]) slots_[a].add(moved);
  changed_[a] = changed_[b] = true;
  return slots_[a].add(c);
}

bool PreloadSlots::remove(Connection c) {
  const std::uint32_t s = slot_of(c);
  if (s == slots_.size()) return false;
  changed_[s] = true;
  return slots_[s].remove(c);
}

}  // namespace hybrid
