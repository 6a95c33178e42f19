// NewFile: a file that appears under its name complete or not at all, even if the program is killed before.
//
// Until finish() the file has no name (O_TMPFILE), or the name PATH.part-PID if the file system does not
// support unnamed files. An existing file is never overwritten.
//
//   NewFile file("trace.json");
//   if (!file.begin()) ...  // errno
//   std::fputs("{}", file.stream());
//   if (!file.finish()) ...  // errno
#pragma once

#include <cstdio>
#include <string>
#include <utility>

namespace hybrid {

class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)) {}
  /// Removes a file that was not finished.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Creates the file. Returns false and sets errno on failure (EEXIST: the name is taken).
  bool begin();
  /// The stream to write to, valid from begin() to finish().
  std::FILE* stream() const { return stream_; }
  /// Gives the file its name. Returns false and sets errno if a write failed or the name is taken by now; the
  /// file is then removed.
  bool finish();

 private:
  bool begin_unnamed();
  bool begin_named();
  bool publish() const;

  std::string path_;
  std::string part_;  // the name until finish(); "" if the file has none
  std::FILE* stream_ = nullptr;
};

}  // namespace hybrid
