#include "core/journal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/file_size_signal.h"

namespace hybrid {

namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kBlockWords = JournalWriter::kBlockWords;
constexpr std::uint64_t kBlockBytes = kBlockWords * sizeof(std::uint64_t);
constexpr std::uint64_t kSegmentBlocks = 8192;
constexpr std::uint64_t kForgetAfter = 16;  // blocks that were read
constexpr std::uint64_t kChecksumBytes = kSegmentBlocks * sizeof(std::uint64_t);
static_assert(sizeof(JournalHeader) <= kPage && kBlockBytes % kPage == 0 && kChecksumBytes % kPage == 0);

constexpr std::uint64_t kOpenBlock = kPage;  // offsets in the file
constexpr std::uint64_t segment_at(std::uint64_t block) {
  return kOpenBlock + kBlockBytes + block / kSegmentBlocks * (kChecksumBytes + kSegmentBlocks * kBlockBytes);
}
constexpr std::uint64_t checksum_at(std::uint64_t block) {
  return segment_at(block) + block % kSegmentBlocks * sizeof(std::uint64_t);
}
constexpr std::uint64_t block_at(std::uint64_t block) {
  return segment_at(block) + kChecksumBytes + block % kSegmentBlocks * kBlockBytes;
}

/// Never 0, which is the checksum of a block that was not written.
std::uint64_t checksum(const void* data, std::size_t length) {
  return std::max<std::uint64_t>(1, XXH3_64bits(data, length));
}
std::uint64_t checksum(const JournalHeader& header) {
  return checksum(&header, offsetof(JournalHeader, checksum));
}

/// A block's first word.
constexpr std::uint64_t kNumberOfEvents = 0, kFirstEvent = 1;

std::string system_reason() { return std::strerror(errno); }

// posix_fallocate reports its reason in the return value and is interrupted by signals.
int reserve(int file, std::uint64_t offset, std::uint64_t length) {
  const FileSizeSignalGuard guard(offset + length);
  int reason = 0;
  do {
    reason = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(length));
  } while (reason == EINTR);
  return reason;
}

bool write_at(int file, const void* data, std::uint64_t length, std::uint64_t offset) {
  const FileSizeSignalGuard guard(offset + length);
  while (length != 0) {
    const ssize_t written = ::pwrite(file, data, length, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data = static_cast<const char*>(data) + written;
    length -= static_cast<std::uint64_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

/// Extends the file and maps the new part. nullptr, with errno set, if that fails.
void* map_new(int file, std::uint64_t offset, std::uint64_t length) {
  if (const int reason = reserve(file, offset, length); reason != 0) {
    errno = reason;
    return nullptr;
  }
  void* const mapped =
      ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

}  // namespace

JournalWriter::JournalWriter(const std::string& path, const JournalHeader& header) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0) throw RunError("cannot create the journal " + path + ": " + system_reason());
  void* const page = map_new(file_, 0, kPage);
  if (page == nullptr) {
    const std::string reason = system_reason();
    ::close(file_);
    throw RunError("cannot map the journal " + path + ": " + reason);
  }
  process_ = ::getpid();
  header_ = static_cast<JournalHeader*>(page);
  *header_ = header;
  std::memcpy(header_->magic, JournalHeader::kMagic, sizeof header_->magic);
  header_->checksum = checksum(*header_);
}

void JournalWriter::set_ticks_per_second(std::uint64_t rate) {
  // At every instant one of the two checksums is right, in case that the process dies here.
  JournalHeader changed = *header_;
  changed.ticks_per_second = rate;
  header_->next_checksum = checksum(changed);
  std::atomic_signal_fence(std::memory_order_release);
  header_->ticks_per_second = rate;
  std::atomic_signal_fence(std::memory_order_release);
  header_->checksum = header_->next_checksum;
}

JournalWriter::~JournalWriter() { close(); }

bool JournalWriter::map_open_block() {
  open_ = static_cast<std::uint64_t*>(map_new(file_, kOpenBlock, kBlockBytes));
  // Maps all pages at once: one page fault for each page would cost more in total. Kernels before 5.14 do not
  // support this, and fault.
  if (open_ != nullptr) (void)::madvise(open_, kBlockBytes, MADV_POPULATE_WRITE);
  return open_ != nullptr;
}

bool JournalWriter::write_block() {
  const std::uint64_t block = (header_->words - 1) / kBlockWords;
  const std::uint64_t in_segment = block % kSegmentBlocks;
  if (in_segment == 0) {
    unmap_checksums();
    checksums_ = static_cast<std::uint64_t*>(map_new(file_, segment_at(block), kChecksumBytes));
    if (checksums_ == nullptr) return false;
  }
  open_[kNumberOfEvents] = header_->events - before_;
  std::fill(next_, open_ + kBlockWords, std::uint64_t{event_code::kEnd});
  const std::uint64_t sum = checksum(open_, kBlockBytes);
  if (!write_at(file_, open_, kBlockBytes, block_at(block))) return false;
  std::atomic_signal_fence(std::memory_order_release);
  checksums_[in_segment] = sum;
  before_ = header_->events;
  return true;
}

void JournalWriter::unmap_checksums() {
  if (checksums_ != nullptr) ::munmap(checksums_, kChecksumBytes);
  checksums_ = nullptr;
}

bool JournalWriter::next_block() {
  if (full_ || file_ < 0) return false;
  if (open_ == nullptr ? !map_open_block() : !write_block()) {
    full_ = true;  // for good: a truncated journal is more useful than one with a gap
    return false;
  }
  // Only now does the header refer to the next block: before, the closed block is also the open one.
  header_->words = (header_->words + kBlockWords - 1) / kBlockWords * kBlockWords + kFirstEvent;
  encoder_.restart();
  next_ = open_ + kFirstEvent;
  end_ = open_ + kBlockWords - kMostEventWords + 1;
  return true;
}

bool JournalWriter::append(Event event, const WideValues& values) {
  if (needs_wide(values)) append(wide_extension(values));
  event.bytes = static_cast<std::uint32_t>(values.bytes);
  event.duration = static_cast<std::uint32_t>(values.duration & kDurationMask);
  event.communicator = static_cast<std::uint16_t>(values.communicator);
  return append(event);
}

void JournalWriter::close() {
  if (file_ < 0) return;
  if (open_ != nullptr) {
    // A full disk leaves the events where they are, in the open block.
    if (process_ == ::getpid() && !full_) (void)write_block();
    ::munmap(open_, kBlockBytes);
    open_ = nullptr;
  }
  unmap_checksums();
  last_header_ = *header_;
  ::munmap(header_, kPage);
  ::close(file_);
  file_ = -1;
  next_ = end_ = nullptr;
  header_ = &last_header_;
}

JournalReader::JournalReader(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw UserError(path + ": cannot open the journal: " + system_reason());
  struct stat status{};
  if (::fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) < kPage) {
    ::close(file);
    throw UserError(path + ": too short for a journal (" + std::to_string(status.st_size) + " bytes)",
                    "The process died before it recorded an event, or this is another kind of file.");
  }
  void* page = ::mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE, file, 0);
  if (page == MAP_FAILED) {
    const std::string reason = system_reason();
    ::close(file);
    throw UserError(path + ": cannot map the journal: " + reason);
  }
  header_page_ = page;
  header_ = static_cast<const JournalHeader*>(page);
  Mapped mapped;
  try {
    if (std::memcmp(header_->magic, JournalHeader::kMagic, sizeof header_->magic) != 0)
      throw UserError(path + ": not a journal of this version (its first bytes are not " +
                      std::string(JournalHeader::kMagic, sizeof JournalHeader::kMagic) + ")");
    if (const std::uint64_t sum = checksum(*header_);
        header_->checksum != sum && header_->next_checksum != sum)
      throw UserError(path + ": the header of the journal is damaged (its checksum is wrong)");
    mapped = map_blocks(path, file, static_cast<std::uint64_t>(status.st_size));
  } catch (...) {
    ::close(file);
    if (mapping_ != nullptr) ::munmap(mapping_, length_);
    ::munmap(page, kPage);
    throw;
  }
  ::close(file);
  verify(path, mapped);
}

JournalReader::Mapped JournalReader::map_blocks(const std::string& path, int file, std::uint64_t length) {
  const std::uint64_t words = header_->words;
  // A damaged number must not reserve more memory than the file needs.
  const std::uint64_t blocks =
      std::min(words / kBlockWords + (words % kBlockWords != 0 ? 1 : 0), length / kBlockBytes + 1);
  if (blocks == 0) return {};
  length_ = blocks * kBlockBytes;
  const auto require = [&path](bool good) {
    if (!good) throw UserError(path + ": cannot map the journal: " + system_reason());
  };
  // Address space for all blocks, over which those of each segment are mapped.
  mapping_ = ::mmap(nullptr, length_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) mapping_ = nullptr;
  require(mapping_ != nullptr);
  const auto map = [&](std::uint64_t block, std::uint64_t offset, std::uint64_t bytes) {
    require(::mmap(static_cast<char*>(mapping_) + block * kBlockBytes, bytes, PROT_READ,
                   MAP_PRIVATE | MAP_FIXED, file, static_cast<off_t>(offset)) != MAP_FAILED);
  };
  checksums_.resize(blocks);
  Mapped mapped;
  for (std::uint64_t first = 0; first < blocks; first += kSegmentBlocks) {
    const std::uint64_t count = std::min(kSegmentBlocks, blocks - first);
    (void)!::pread(file, checksums_.data() + first, count * sizeof(std::uint64_t),
                   static_cast<off_t>(checksum_at(first)));
    std::uint64_t closed = 0;  // blocks that were written, and are in the file as a whole
    while (closed < count && checksums_[first + closed] != 0 &&
           block_at(first + closed) + kBlockBytes <= length)
      ++closed;
    if (closed != 0) map(first, block_at(first), closed * kBlockBytes);
    mapped.closed += closed;
    if (closed < count) break;
  }
  mapped.blocks = mapped.closed;
  if (mapped.closed + 1 == blocks && kOpenBlock + kBlockBytes <= length) {
    map(mapped.closed, kOpenBlock, kBlockBytes);
    ++mapped.blocks;
  }
  return mapped;
}

std::span<const std::uint64_t> JournalReader::events_of(std::uint64_t block) const {
  const std::uint64_t words = std::min(header_->words - block * kBlockWords, kBlockWords);
  return std::span{static_cast<const std::uint64_t*>(mapping_) + block * kBlockWords, words}.subspan(
      kFirstEvent);
}

void JournalReader::verify(const std::string& path, const Mapped& mapped) {
  std::uint64_t last = 0;  // events of the last block
  for (; blocks_ < mapped.blocks; ++blocks_) {
    const auto* block = static_cast<const std::uint64_t*>(mapping_) + blocks_ * kBlockWords;
    const bool open = blocks_ == mapped.closed && checksums_[blocks_] == 0;  // of a process that died
    if (!open && checksums_[blocks_] != checksum(block, kBlockBytes)) break;
    size_ += std::exchange(last, open ? 0 : block[kNumberOfEvents]);
    if (blocks_ % kForgetAfter == 0) forget_before(blocks_);
  }
  if (blocks_ != 0) {
    EventDecoder decoder(events_of(blocks_ - 1));
    for (Event event; decoder.next(event); ++size_) complete_ = event.kind == EventKind::finish;
  }
  if (blocks_ * kBlockWords >= header_->words && header_->events <= size_ + 1) return;
  complete_ = false;
  damage_ = path + ": block " + std::to_string(blocks_) + " (at byte " + std::to_string(block_at(blocks_)) +
            ") is damaged or missing: " + std::to_string(std::max(header_->events, size_) - size_) +
            " events are left out";
}

void JournalReader::forget_before(std::uint64_t block) const {
  if (block != 0) ::madvise(mapping_, block * kBlockBytes, MADV_DONTNEED);
}

JournalReader::~JournalReader() {
  if (mapping_ != nullptr) ::munmap(mapping_, length_);
  ::munmap(header_page_, kPage);
}

bool JournalEvents::next(Event& event) {
  while (!decoder_.next(event)) {
    if (blocks_ == reader_->blocks_) return false;
    if (blocks_ % kForgetAfter == 0) reader_->forget_before(blocks_);
    decoder_ = EventDecoder(reader_->events_of(blocks_++));
  }
  return true;
}

}  // namespace hybrid
