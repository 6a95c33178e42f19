#include "core/readable_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace hybrid {
namespace {

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// Capital letters separate the names of modules (M), submodules (S), hosts (F) and the procedure (P). A main
// program as the host has no name. Returns "" if `symbol` has another form.
std::string name_of_flang(std::string_view symbol) {
  std::string name;
  symbol.remove_prefix(2);
  while (!symbol.empty()) {
    std::size_t end = 1;
    while (end < symbol.size() && !is_capital(symbol[end])) ++end;
    const bool is_main_program = symbol[0] == 'F' && end == 1;
    if (!is_capital(symbol[0]) || (end == 1 && !is_main_program)) return "";
    if (!name.empty()) name += "::";
    name += is_main_program ? "main" : symbol.substr(1, end - 1);
    symbol.remove_prefix(end);
  }
  return name;
}

// Without the return type: what follows the last blank before the parameters, both outside of brackets.
std::string_view without_return_type(std::string_view name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)", kOperator = "operator", kType = "decltype";
  std::size_t begin = 0, depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::string_view rest = name.substr(at);
    if (rest.starts_with(kUnnamed)) {
      at += kUnnamed.size() - 1;
      continue;
    }
    const char c = name[at];
    if (depth == 0) {
      // A conversion operator has a blank in its name.
      if (rest.starts_with(kOperator) && (at == begin || name[at - 1] == ':')) break;
      if (c == '(' && at != begin && !name.substr(0, at).ends_with(kType)) break;
      if (c == ' ') begin = at + 1;
    }
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if ((c == '>' || c == ')' || c == '}' || c == ']') && depth != 0) --depth;
  }
  return name.substr(begin);
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
  if (const std::size_t end = name.find(kModule); symbol.starts_with("__") && end != name.npos && end > 2)
    return name.substr(2, end - 2) + "::" + name.substr(end + kModule.size());
  // __cxa_demangle takes other names for types: "f" for float.
  if (!symbol.starts_with("_Z")) return name;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), &std::free);
  return text == nullptr ? name : std::string(without_return_type(text.get()));
}

}  // namespace hybrid
