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
  for (const auto& [term, entry] : json.items())
    entries[term] = {entry.at("meaning"), entry.value("quote", ""), entry.value("place", "")};
  return entries;
}

}  // namespace hybrid
