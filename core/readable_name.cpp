#include "core/readable_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace hybrid {
namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// Capital letters separate the names: of modules (M), submodules (S), hosts (F), and the procedure (P) or
// variable (E). A main program as the host has no name. Returns "" if `symbol` has another form.
std::string name_of_flang(std::string_view symbol) {
  std::string name;
  symbol.remove_prefix(2);
  while (!symbol.empty()) {
    std::size_t end = 1;
    while (end < symbol.size() && !is_capital(symbol[end])) ++end;
    const bool is_main_program = name.empty() && symbol[0] == 'F' && end == 1 && symbol.size() > 1;
    if (!is_capital(symbol[0]) || (end == 1 && !is_main_program)) return "";
    if (!name.empty()) name += "::";
    name += is_main_program ? "main" : symbol.substr(1, end - 1);
    symbol.remove_prefix(end);
  }
  return name;
}

struct Extent {
  std::size_t begin, end;
};

bool is_in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The name in a demangled function: behind the return type, whose last blank is outside of brackets, and
// before the parameters.
Extent extent_of_name(std::string_view text) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)", kOperator = "operator", kCall = "operator()";
  std::size_t begin = 0, depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(kUnnamed)) {
      at += kUnnamed.size() - 1;
      continue;
    }
    const char c = text[at];
    if (depth == 0) {
      // Its symbols are no brackets; a conversion has blanks in its name.
      if (rest.starts_with(kOperator) && (at == begin || text[at - 1] == ':') &&
          (rest.size() == kOperator.size() || !is_in_identifier(rest[kOperator.size()])))
        return {begin,
                std::min(text.find('(', at + (rest.starts_with(kCall) ? kCall.size() : 0)), text.size())};
      if (c == '(' && at != begin && !text.substr(0, at).ends_with("decltype")) return {begin, at};
      if (c == ' ') begin = at + 1;
    }
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    const bool is_arrow = c == '>' && at > 0 && text[at - 1] == '-';
    if ((c == '>' || c == ')' || c == '}' || c == ']') && !is_arrow && depth != 0) --depth;
  }
  return {begin, text.size()};
}

}  // namespace

std::string readable_name(std::string_view symbol) {
  if (symbol == "_QQmain" || symbol == "MAIN__") return "main";
  std::string name(symbol);
  if (symbol.starts_with("_Q")) {
    const std::string of_flang = name_of_flang(symbol);
    return of_flang.empty() ? name : of_flang;
  }
  constexpr std::string_view kModule = "_MOD_";
  if (const std::size_t end = name.find(kModule);
      symbol.starts_with("__") && end != name.npos && end > 2 && end + kModule.size() < name.size())
    return name.substr(2, end - 2) + "::" + name.substr(end + kModule.size());
  // __cxa_demangle takes other names for types: "f" for float.
  if (!symbol.starts_with("_Z")) return name;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), &std::free);
  if (text == nullptr) return name;
  const std::string_view demangled = text.get();
  return std::string(demangled.substr(extent_of_name(demangled).begin));
}

std::size_t parameters_of(std::string_view name) { return extent_of_name(name).end; }

}  // namespace hybrid
