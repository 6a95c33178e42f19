/* What a recorded run showed of the phases whose sends the analysis could not settle (`hybrid profile TRACE
 * --json`, -fhybrid-profile-use), put into the hints of a whole program. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_PROFILE_H
#define HYBRID_CLANG_PLUGIN_PASS_PROFILE_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

struct Profile {
  std::string trace; /* that it was read from */
  uint32_t ranks = 0;
  std::map<std::string, std::set<std::pair<uint32_t, uint32_t>>> phases; /* connections, by name */
};

/* Of the text of a profile. False, with `problem`, for what is none. */
bool read_profile(const std::string& text, Profile& profile, std::string& problem);

/* Phases that have dynamic sends get the connections of the phase of the same name (hybrid_phase::profile);
 * not those with a condition, of which a run does not tell when it held, nor procedures of which several
 * have one name. Of several profiles of one number of ranks, all connections count. Returns warnings: a
 * profile of another program, phases that it does not show. */
std::vector<std::string> use_profiles(Note& note, const std::vector<Profile>& profiles);

}  // namespace hybrid::pass

#endif
