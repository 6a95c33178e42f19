// The terms of reports and pages, with the sentences of the dissertation that define them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace hybrid {

/// The glossary as JSON: {term: {meaning, quote, place, keys: {key: meaning}}}; quote and place are absent if
/// the dissertation does not define the term. keys: of JSON results; "": the meaning of the term.
std::string_view glossary_json();

struct GlossaryEntry {
  std::string meaning;
  std::string quote, place;  // "D 5.1"; both may be empty
  bool is_key = false;       // a key of JSON results instead of a term
};
/// By term or key.
std::map<std::string, GlossaryEntry, std::less<>> glossary();

}  // namespace hybrid
