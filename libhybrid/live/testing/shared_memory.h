// The objects of this project in /dev/shm, for tests that check that none remain.
#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace hybrid {

inline std::set<std::string> shared_memory_objects() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (const std::string name = entry.path().filename(); name.starts_with("hybrid-")) names.insert(name);
  return names;
}

}  // namespace hybrid
