#include "libhybrid/page/glossary.h"

#include <nlohmann/json.hpp>

// The file between two symbols of read-only memory.
__asm__(
    ".pushsection .rodata\n.global hybrid_glossary\n.hidden hybrid_glossary\n.global hybrid_glossary_end\n"
    ".hidden hybrid_glossary_end\nhybrid_glossary:\n.incbin \"" HYBRID_GLOSSARY
    "\"\nhybrid_glossary_end:\n.popsection\n");
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
