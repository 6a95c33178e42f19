// Copies what a child writes to our standard streams, and shows some of its lines to the caller.
//
//   OutputCopy copy({{"[mpiexec@"}, [&](std::string_view line) { return !note(line); }}, STDOUT_FILENO);
//   const pid_t child = spawn(words, copy.out(), copy.error());
//   copy.start();
//   ... wait for the child ...
//   copy.finish();
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace hybrid {

/// Lines of a child's output that the caller reads. Any other output is copied at once.
struct LineFilter {
  std::vector<std::string_view> beginnings;     // of the lines; output without a newline may be before them
  std::function<bool(std::string_view)> keeps;  // called by another thread; whether to copy the line, too
};

/// One stream: finds the lines in a sequence of parts.
class FilteredLines {
 public:
  explicit FilteredLines(const LineFilter& filter) : filter_(&filter) {}
  /// The output to copy after `part` was read. Holds back the begin of a line that may be one of the
  /// filter's.
  std::string pass(std::string_view part);
  /// What is held back at the end of the output.
  std::string rest();

 private:
  std::size_t find_beginning(std::string_view text) const;

  const LineFilter* filter_;
  std::string held_;
};

class OutputCopy {
 public:
  /// `filter` must outlive the copy. Standard output is copied to the descriptor `out_to`, standard error to
  /// our standard error. Throws RunError.
  OutputCopy(const LineFilter& filter, int out_to);
  ~OutputCopy();
  OutputCopy(const OutputCopy&) = delete;
  OutputCopy& operator=(const OutputCopy&) = delete;

  /// The descriptors for the child's standard output and error.
  int out() const { return streams_[0].write_end; }
  int error() const { return streams_[1].write_end; }
  /// After the child's start: begins to copy. If a stream of ours is closed, that of the child is closed,
  /// too.
  void start();
  /// After the child's end: copies what is left. Processes that the child left behind are not awaited.
  void finish();

 private:
  struct Stream {
    int read_end = -1, write_end = -1, to = -1;
    FilteredLines lines;
  };
  void copy();
  void copy_part(Stream& stream, bool wait_for_end);

  std::array<Stream, 2> streams_;
  std::array<int, 2> end_{-1, -1};  // a pipe: closed when the child has ended
  std::thread thread_;
};

}  // namespace hybrid
