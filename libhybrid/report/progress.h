// A line of progress that is rewritten in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace hybrid {

class ProgressLine {
 public:
  /// Writes only if `stream` is a terminal. `stream` may be null.
  explicit ProgressLine(std::FILE* stream);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows "emulating hybrid, K = 4: 1,200,000 operations", without the count while it is 0.
  void show(std::string_view what, std::uint64_t done);
  /// Removes the line. To be called before other output to the terminal.
  void clear();

 private:
  std::FILE* stream_ = nullptr;
  bool shown_ = false;
};

}  // namespace hybrid
