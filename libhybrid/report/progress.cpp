#include "libhybrid/report/progress.h"

#include <unistd.h>

#include <string>

#include "libhybrid/report/format.h"

namespace hybrid {

ProgressLine::ProgressLine(std::FILE* stream)
    : stream_(stream != nullptr && isatty(fileno(stream)) != 0 ? stream : nullptr) {}

void ProgressLine::show(std::string_view what, std::uint64_t done) {
  if (stream_ == nullptr) return;
  std::string line = "\r\033[K" + std::string(what);
  if (done != 0) line += ": " + grouped(done) + " operations";
  std::fwrite(line.data(), 1, line.size(), stream_);
  std::fflush(stream_);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
  shown_ = false;
}

}  // namespace hybrid
