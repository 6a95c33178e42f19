// A new file that is there, under its name, whole or not at all, whatever ends the program before it is
// whole.
//
// Until then it has no name, where the file system can do that, and else the name PATH.part-PID. Nothing that
// is there is ever overwritten.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

namespace hybrid {

class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)) {}
  /// What was not finished goes.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Begins it. False, with errno, where it cannot be made (EEXIST: something has that name).
  bool begin();
  /// To write into, from begin() to finish().
  std::FILE* stream() const { return stream_; }
  /// Gives it its name. False, with errno: not all could be written, or something has that name by now; then
  /// nothing of it stays.
  bool finish();

 private:
  bool begin_unnamed();
  bool begin_named();
  bool publish() const;

  std::string path_;
  std::string part_;  // its name until it is whole; "" where it has none
  std::FILE* stream_ = nullptr;
};

}  // namespace hybrid
