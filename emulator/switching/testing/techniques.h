// Parameters of test suites that run every technique.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/registry.h"
#include "emulator/network/technique.h"
#include "emulator/switching/bounds.h"

namespace hybrid {

/// Returns the names of all techniques and bounds except those for tests, which their descriptions mark.
inline std::vector<std::string> user_techniques() {
  std::vector<std::string> names;
  for (const Listing& listing : listings())
    if (listing.kind == Technique::kKind && !listing.description.starts_with("for tests"))
      names.emplace_back(listing.name);
  return names;
}

/// The same without bounds: techniques that a switch can have.
inline std::vector<std::string> switch_techniques() {
  std::vector<std::string> names = user_techniques();
  std::erase_if(names, [](const std::string& name) { return is_bound(name); });
  return names;
}

/// Returns the names of the techniques that a reference model (emulator/ticked) supports.
template <class Reference>
std::vector<std::string> techniques_of() {
  std::vector<std::string> names = user_techniques();
  std::erase_if(names, [](const std::string& name) { return !Reference::models(name); });
  return names;
}

/// Returns the name of a test with a technique as its parameter. GoogleTest allows letters, digits and '_'.
inline std::string technique_test_name(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace hybrid
