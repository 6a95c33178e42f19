#include "libhybrid/page/glossary.h"

#include <nlohmann/json.hpp>

// page_files.c
extern "C" const char hybrid_glossary[], hybrid_glossary_end[];

namespace hybrid {

std::string_view glossary_json() {
  return {hybrid_glossary, static_cast<std::size_t>(hybrid_glossary_end - hybrid_glossary)};
}

std::map<std::string, GlossaryEntry, std::less<>> glossary() {
  std::map<std::string, GlossaryEntry, std::less<>> entries;
  const nlohmann::json json = nlohmann::json::parse(glossary_json());
  for (const auto& [term, entry] : json.items()) {
    GlossaryEntry of_term{entry.at("meaning"), entry.value("quote", ""), entry.value("place", "")};
    entries[term] = of_term;
    of_term.is_key = true;
    const nlohmann::json keys = entry.value("keys", nlohmann::json::object());
    for (const auto& [key, meaning] : keys.items())
      entries[key] = meaning == "" ? of_term : GlossaryEntry{meaning, "", "", true};
  }
  return entries;
}

}  // namespace hybrid
