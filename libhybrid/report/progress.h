// One line of progress on a terminal, rewritten in place; nothing where the stream is a file or a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace hybrid {

class ProgressLine {
 public:
  /// `stream` may be null. Writes only if it is a terminal.
  explicit ProgressLine(std::FILE* stream);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// "emulating hybrid, K = 4: 1,200,000 operations"; the count is left out while it is 0.
  void show(std::string_view what, std::uint64_t done);
  /// Removes the line, before anything else is written to the terminal.
  void clear();

 private:
  std::FILE* stream_ = nullptr;
  bool shown_ = false;
};

}  // namespace hybrid
