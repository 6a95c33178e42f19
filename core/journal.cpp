#include "core/journal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "core/file_size_signal.h"

namespace hybrid {

namespace {

// The header fills the first page, so that segments stay page-aligned in the file.
constexpr std::size_t kHeaderSpace = 4096;
constexpr std::size_t kSegmentBytes = JournalWriter::kSegmentEvents * sizeof(Event);

std::string system_reason() { return std::strerror(errno); }

// posix_fallocate reports its reason in the return value and is interrupted by signals.
int reserve(int file, std::uint64_t offset, std::uint64_t length) {
  const FileSizeSignalGuard guard;
  int reason = 0;
  do {
    reason = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(length));
  } while (reason == EINTR);
  return reason;
}

}  // namespace

JournalWriter::JournalWriter(const std::string& path, const JournalHeader& header) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0) throw RunError("cannot create the journal " + path + ": " + system_reason());
  void* page = MAP_FAILED;
  if (const int reason = reserve(file_, 0, kHeaderSpace); reason != 0)
    errno = reason;
  else
    page = ::mmap(nullptr, kHeaderSpace, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (page == MAP_FAILED) {
    const std::string reason = system_reason();
    ::close(file_);
    throw RunError("cannot map the journal " + path + ": " + reason);
  }
  process_ = ::getpid();
  header_ = static_cast<JournalHeader*>(page);
  *header_ = header;
  std::memcpy(header_->magic, JournalHeader::kMagic, sizeof header_->magic);
}

JournalWriter::~JournalWriter() { close(); }

bool JournalWriter::next_segment() {
  if (full_ || file_ < 0) return false;
  const std::uint64_t offset = kHeaderSpace + segments_ * kSegmentBytes;
  void* segment = MAP_FAILED;
  if (reserve(file_, offset, kSegmentBytes) == 0)
    segment =
        ::mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(offset));
  if (segment == MAP_FAILED) {
    full_ = true;  // for good: a truncated journal is more useful than one with a gap
    return false;
  }
  // Maps all pages at once: one page fault for each page would cost more in total, and occur within MPI
  // calls. Kernels before 5.14 do not support this, and fault.
  (void)::madvise(segment, kSegmentBytes, MADV_POPULATE_WRITE);
  if (end_ != nullptr) ::munmap(end_ - kSegmentEvents, kSegmentBytes);
  next_ = static_cast<Event*>(segment);
  end_ = next_ + kSegmentEvents;
  ++segments_;
  return true;
}

void JournalWriter::append(Event event, const WideValues& values) {
  if (needs_wide(values)) append(wide_extension(values));
  event.bytes = static_cast<std::uint32_t>(values.bytes);
  event.duration = static_cast<std::uint32_t>(values.duration);
  event.communicator = static_cast<std::uint16_t>(values.communicator);
  append(event);
}

void JournalWriter::close() {
  if (file_ < 0) return;
  std::uint64_t length = kHeaderSpace + segments_ * kSegmentBytes;
  if (end_ != nullptr) {
    length -= static_cast<std::uint64_t>(end_ - next_) * sizeof(Event);
    ::munmap(end_ - kSegmentEvents, kSegmentBytes);
  }
  // A file with a zero tail reads the same; truncation only saves space.
  if (process_ == ::getpid()) (void)!::ftruncate(file_, static_cast<off_t>(length));
  last_header_ = *header_;
  ::munmap(header_, kHeaderSpace);
  ::close(file_);
  file_ = -1;
  next_ = end_ = nullptr;
  header_ = &last_header_;
}

JournalReader::JournalReader(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw UserError(path + ": cannot open the journal: " + system_reason());
  struct stat status{};
  if (::fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) < kHeaderSpace) {
    ::close(file);
    throw UserError(path + ": too short for a journal (" + std::to_string(status.st_size) + " bytes)",
                    "The process died before it recorded an event, or this is another kind of file.");
  }
  length_ = static_cast<std::size_t>(status.st_size);
  void* mapping = ::mmap(nullptr, length_, PROT_READ, MAP_PRIVATE, file, 0);
  const std::string reason = mapping == MAP_FAILED ? system_reason() : "";
  ::close(file);
  if (mapping == MAP_FAILED) throw UserError(path + ": cannot map the journal: " + reason);
  header_ = static_cast<const JournalHeader*>(mapping);
  if (std::memcmp(header_->magic, JournalHeader::kMagic, sizeof header_->magic) != 0) {
    ::munmap(mapping, length_);
    throw UserError(path + ": not a journal of this version (its first bytes are not HYBJRNL1)");
  }
  mapping_ = mapping;
  const auto* first = reinterpret_cast<const Event*>(static_cast<const char*>(mapping) + kHeaderSpace);
  const std::span<const Event> all{first, (length_ - kHeaderSpace) / sizeof(Event)};
  // The written events are a prefix. Bisection finds its end without a read of every page.
  const auto end =
      std::partition_point(all.begin(), all.end(), [](const Event& e) { return e.kind != EventKind::none; });
  events_ = all.first(static_cast<std::size_t>(end - all.begin()));
}

void JournalReader::forget_before(const Event* event) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto read =
      static_cast<std::size_t>(reinterpret_cast<const char*>(event) - static_cast<char*>(mapping_));
  // The header's page stays.
  if (read / page > 1)
    ::madvise(static_cast<char*>(mapping_) + page, (read / page - 1) * page, MADV_DONTNEED);
}

JournalReader::~JournalReader() {
  if (mapping_ != nullptr) ::munmap(mapping_, length_);
}

}  // namespace hybrid
