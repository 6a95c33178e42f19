#include "libhybrid/live/region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file_size_signal.h"

namespace hybrid {

namespace {

constexpr std::uint64_t align_up(std::uint64_t bytes) {
  return (bytes + kLiveLine - 1) / kLiveLine * kLiveLine;
}

std::string errno_text(int error) { return std::system_category().message(error); }

std::string random_name() {
  std::uint8_t bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    throw RunError("no random name for the live scheduler's memory: " + errno_text(errno));
  std::string name = "/hybrid-";
  for (const std::uint8_t byte : bytes) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}
  ~Descriptor() {
    if (file_ >= 0) close(file_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

void* map(int file, std::uint64_t bytes, const std::string& name) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    throw RunError("the live scheduler's memory /dev/shm" + name + " cannot be mapped: " + errno_text(errno));
  return memory;
}

LiveRegion layout(std::uint32_t ranks, std::uint32_t rows, std::uint32_t ports) {
  LiveRegion r;
  std::copy(std::begin(LiveRegion::kMagic), std::end(LiveRegion::kMagic), r.magic);
  r.ranks = ranks;
  r.rows = rows;
  r.ports = ports;
  r.row_words = static_cast<std::uint32_t>(words_for(ports));
  r.ranks_offset = align_up(sizeof(LiveRegion));
  r.row_ports_offset = align_up(r.ranks_offset + std::uint64_t{ranks} * sizeof(LiveRank));
  r.grants_offset = align_up(r.row_ports_offset + std::uint64_t{rows} * sizeof(Port));
  r.rows_offset = align_up(r.grants_offset + std::uint64_t{rows} * sizeof(std::atomic<std::uint64_t>));
  r.wants_offset = align_up(r.rows_offset + rows * r.row_bytes());
  r.bytes = r.wants_offset + ranks * r.wants_bytes();
  return r;
}

// True if the header agrees, in all but the time, with the layout that its own numbers give.
bool same_layout(const LiveRegion& header, std::uint64_t bytes) {
  LiveRegion expected = layout(header.ranks, header.rows, header.ports);
  expected.origin_ticks = header.origin_ticks;
  return header.bytes == bytes && std::memcmp(&header, &expected, sizeof expected) == 0;
}

}  // namespace

LiveCounters& LiveCounters::operator+=(const LiveCounters& other) {
  requests += other.requests;
  releases += other.releases;
  flushes += other.flushes;
  preloads += other.preloads;
  grants += other.grants;
  hits += other.hits;
  misses += other.misses;
  return *this;
}

LiveMapping LiveMapping::create(const LiveRegionShape& shape) {
  std::vector<Port> row_ports;
  for (const std::uint32_t rank : shape.world_ranks) row_ports.push_back(shape.port_of_rank[rank]);
  std::sort(row_ports.begin(), row_ports.end());
  row_ports.erase(std::unique(row_ports.begin(), row_ports.end()), row_ports.end());
  LiveRegion header = layout(static_cast<std::uint32_t>(shape.world_ranks.size()),
                             static_cast<std::uint32_t>(row_ports.size()), shape.ports);
  header.origin_ticks = shape.origin_ticks;

  LiveMapping mapping;
  std::string name = random_name();
  const Descriptor file(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0)
    throw RunError("the live scheduler's memory cannot be created in /dev/shm: " + errno_text(errno));
  mapping.name_ = std::move(name);  // from here on the destructor unlinks it
  const FileSizeSignalGuard guard;
  // The umask of the caller may have removed permissions of the owner.
  if (fchmod(file.get(), 0600) != 0 || ftruncate(file.get(), static_cast<off_t>(header.bytes)) != 0)
    throw RunError("the live scheduler's memory in /dev/shm cannot be set up: " + errno_text(errno));
  if (const int error = posix_fallocate(file.get(), 0, static_cast<off_t>(header.bytes)); error != 0)
    throw RunError("no room for the live scheduler's memory in /dev/shm (" + std::to_string(header.bytes) +
                       " bytes): " + errno_text(error),
                   "Make /dev/shm larger, or switch the live scheduler off.");
  mapping.region_ = new (map(file.get(), header.bytes, mapping.name_)) LiveRegion(header);
  mapping.bytes_ = header.bytes;

  LiveRegion& region = *mapping.region_;
  for (std::uint32_t i = 0; i < region.rows; ++i) {
    region.row_ports()[i] = row_ports[i];
    new (&region.grants(i)) std::atomic<std::uint64_t>(0);
    for (std::uint32_t w = 0; w < region.row_words; ++w) new (region.row(i) + w) std::atomic<Word>(0);
  }
  for (std::uint32_t i = 0; i < region.ranks; ++i) {
    auto* rank = new (&region.rank(i)) LiveRank;
    rank->world_rank = shape.world_ranks[i];
    const Port port = shape.port_of_rank[rank->world_rank];
    rank->row = static_cast<std::uint32_t>(std::lower_bound(row_ports.begin(), row_ports.end(), port) -
                                           row_ports.begin());
    std::uninitialized_value_construct_n(region.requested(i), region.row_words);
    std::uninitialized_value_construct_n(region.preloaded(i), region.row_words);
    std::uninitialized_value_construct_n(region.preloads(i), region.ports);
  }
  return mapping;
}

LiveMapping LiveMapping::open(const std::string& name) {
  const Descriptor file(shm_open(name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0));
  if (file.get() < 0)
    throw RunError("the live scheduler's memory /dev/shm" + name + " cannot be opened: " + errno_text(errno),
                   "Ranks of one host must share one /dev/shm (one container, one user).");
  struct stat status{};
  if (fstat(file.get(), &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 0777) != 0600 ||
      static_cast<std::uint64_t>(status.st_size) < sizeof(LiveRegion))
    throw RunError("/dev/shm" + name + " is not a live scheduler's memory of this user");
  LiveMapping mapping;
  mapping.bytes_ = static_cast<std::uint64_t>(status.st_size);
  mapping.region_ = static_cast<LiveRegion*>(map(file.get(), mapping.bytes_, name));
  if (!same_layout(*mapping.region_, mapping.bytes_))
    throw RunError("/dev/shm" + name + " was made by another version of libhybrid",
                   "Start every rank with the same libhybrid.so.");
  return mapping;
}

void LiveMapping::unlink() {
  if (name_.empty()) return;
  shm_unlink(name_.c_str());
  name_.clear();
}

LiveMapping::~LiveMapping() {
  unlink();
  if (region_ != nullptr) munmap(region_, bytes_);
}

LiveMapping::LiveMapping(LiveMapping&& other) noexcept
    : region_(std::exchange(other.region_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      name_(std::exchange(other.name_, {})) {}

LiveMapping& LiveMapping::operator=(LiveMapping&& other) noexcept {
  std::swap(region_, other.region_);
  std::swap(bytes_, other.bytes_);
  std::swap(name_, other.name_);
  return *this;
}

}  // namespace hybrid
