// Words of a shell's command line; archives.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace hybrid {

/// `word` with quotes if a POSIX shell would interpret it:
///
///   std::system(("ls " + shell_quoted(file)).c_str());
inline std::string shell_quoted(std::string_view word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                          "-_./,=:+@%") == std::string::npos;
  if (plain) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Unpacks a .tar.xz archive into `directory`. False if that fails: it needs tar and xz.
inline bool unpack(std::string_view archive, std::string_view directory) {
  return std::system(("tar -xJf " + shell_quoted(archive) + " -C " + shell_quoted(directory)).c_str()) == 0;
}

}  // namespace hybrid
