#include "clang_plugin/pass/profile.h"

#include <llvm/Support/JSON.h>

#include <algorithm>
#include <tuple>

namespace hybrid::pass {
namespace {

/* Returns the first few names as a list for a message. */
std::string sentence(const std::vector<std::string>& names) {
  constexpr size_t kMost = 4;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i)
    text += (text.empty() ? "'" : ", '") + names[i] + "'";
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

}  // namespace

bool read_profile(const std::string& text, Profile& profile, std::string& problem) {
  namespace json = llvm::json;
  problem = "not a profile from `hybrid profile TRACE --json`";
  llvm::Expected<json::Value> parsed = json::parse(text);
  if (!parsed) {
    problem = toString(parsed.takeError());
    return false;
  }
  const json::Object* root = parsed->getAsObject();
  const json::Array* phases = root ? root->getArray("phases") : nullptr;
  const auto ranks = root ? root->getInteger("ranks") : std::nullopt;
  if (!phases || !ranks || *ranks < 1 || *ranks > UINT32_MAX) return false;
  profile.ranks = static_cast<uint32_t>(*ranks);
  if (const auto trace = root->getString("trace")) profile.trace = trace->str();
  for (const json::Value& value : *phases) {
    const json::Object* phase = value.getAsObject();
    const auto name = phase ? phase->getString("phase") : std::nullopt;
    const json::Array* connections = phase ? phase->getArray("connections") : nullptr;
    if (!name || !connections) return false;
    auto& known = profile.phases[name->str()];
    for (const json::Value& connection : *connections) {
      const json::Array* ends = connection.getAsArray();
      if (!ends || ends->size() != 2) return false;
      const auto from = (*ends)[0].getAsInteger(), to = (*ends)[1].getAsInteger();
      if (!from || !to || std::min(*from, *to) < 0 || std::max(*from, *to) >= *ranks) return false;
      known.emplace(static_cast<uint32_t>(*from), static_cast<uint32_t>(*to));
    }
  }
  return true;
}

std::vector<std::string> use_profiles(Note& note, const std::vector<Profile>& profiles) {
  const auto name_of = [&](const hybrid_phase& phase) {
    return std::string(note.strings.c_str() + phase.name);
  };
  std::set<uint32_t> open;
  for (const hybrid_site& site : note.sites)
    if (site.kind == HYBRID_SEND && site.site_class == HYBRID_DYNAMIC && site.phase != HYBRID_NONE)
      open.insert(site.phase);
  std::set<std::string> all;
  std::map<std::string, size_t> found_by_itself; /* procedures and loops */
  for (const hybrid_phase& phase : note.phases) {
    if ((phase.flags & HYBRID_PHASE_MERGED) != 0) continue;
    all.insert(name_of(phase));
    if (phase.kind != HYBRID_PHASE_DIRECTIVE) ++found_by_itself[name_of(phase)];
  }

  std::vector<std::string> warnings;
  std::map<uint32_t, std::set<std::tuple<uint32_t, uint32_t, uint32_t>>> shown;
  for (const Profile& profile : profiles) {
    const auto is_of_profile = [&](const std::string& name) { return profile.phases.contains(name); };
    if (!open.empty() && std::none_of(all.begin(), all.end(), is_of_profile)) {
      warnings.push_back("the profile " + profile.trace + " has none of this file's phases (" +
                         sentence({all.begin(), all.end()}) +
                         "); record this program, compiled with the plugin");
      continue;
    }
    std::vector<std::string> missing, unclear;
    for (const uint32_t number : open) {
      const hybrid_phase& phase = note.phases[number];
      const std::string name = name_of(phase);
      const auto found = profile.phases.find(name);
      if (found == profile.phases.end()) {
        missing.push_back(name);
      } else if (phase.condition != HYBRID_NONE ||
                 (phase.kind != HYBRID_PHASE_DIRECTIVE && found_by_itself[name] > 1)) {
        unclear.push_back(name);
      } else {
        for (const auto& [from, to] : found->second) shown[number].emplace(profile.ranks, from, to);
      }
    }
    if (!missing.empty())
      warnings.push_back("the profile " + profile.trace + " does not contain " + sentence(missing) +
                         ": the run recorded no such phase");
    if (!unclear.empty())
      warnings.push_back("the profile " + profile.trace + " is not used for " + sentence(unclear) +
                         ": it does not distinguish phases with a condition, nor procedures of one name");
  }

  for (const auto& [number, connections] : shown) {
    Node list = HYBRID_NONE;
    for (auto at = connections.rbegin(); at != connections.rend(); ++at) {
      const auto& [ranks, from, to] = *at;
      for (const uint32_t value : {to, from, ranks})
        list = note.make(HYBRID_LIST, note.constant(value), list);
    }
    note.phases[number].profile = list;
  }
  return warnings;
}

}  // namespace hybrid::pass
