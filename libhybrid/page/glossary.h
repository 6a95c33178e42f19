// The terms of reports and pages, with the sentences of the dissertation that define them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace hybrid {

/// The glossary as JSON: {term: {meaning, quote, place}}; quote and place are absent if the dissertation does
/// not define the term.
std::string_view glossary_json();

struct GlossaryEntry {
  std::string meaning;
  std::string quote, place;  // "D 5.1"; both may be empty
};
/// By term.
std::map<std::string, GlossaryEntry, std::less<>> glossary();

}  // namespace hybrid
