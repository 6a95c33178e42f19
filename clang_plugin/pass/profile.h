/* Profiles of recorded runs (`hybrid profile TRACE --json`, -fhybrid-profile-use): adds the recorded
 * connections of phases with dynamic sends to the hints of a file. */
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

struct Profile {
  std::string trace; /* source of the profile */
  uint32_t ranks = 0;
  std::map<std::string, std::set<std::pair<uint32_t, uint32_t>>> phases; /* connections, by name */
};

/* Reads the text of a profile. Returns false, and sets `problem`, if it is none. */
bool read_profile(const std::string& text, Profile& profile, std::string& problem);

/* Adds the connections of the phases of the same name to phases with dynamic sends (hybrid_phase::profile).
 * Excluded are phases with a condition, because the run does not record when it held, and procedures with the
 * same name. The connections of several profiles with the same number of ranks are merged. Returns warnings:
 * profiles of another program, phases that a profile does not contain. */
std::vector<std::string> use_profiles(Note& note, const std::vector<Profile>& profiles);

}  // namespace hybrid::pass
