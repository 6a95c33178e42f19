// Words of a shell's command line.
#pragma once

#include <string>
#include <string_view>

namespace hybrid {

/// `word` with quotes if a POSIX shell would interpret it:
///
///   std::system(("tar -xf " + shell_quoted(archive)).c_str());
inline std::string shell_quoted(std::string_view word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                          "-_./,=:+@%") == std::string::npos;
  if (plain) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace hybrid
