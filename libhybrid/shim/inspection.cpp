#include "libhybrid/shim/inspection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "libhybrid/shim/guarded_load.h"

namespace hybrid::shim {
namespace {

constexpr std::uint64_t mask(std::uint32_t bytes) {
  return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
}

}  // namespace

Inspection::Inspection(InspectedMpi& mpi) : hybrid_inspection{}, mpi_(mpi), log_(2 * kMostWords) {
  load = [](hybrid_inspection* of_run, const void* at, std::uint32_t bytes) {
    return of(of_run).read(reinterpret_cast<std::uint64_t>(at), bytes);
  };
  store = [](hybrid_inspection* of_run, void* at, std::uint32_t bytes, std::uint64_t value) {
    of(of_run).write(reinterpret_cast<std::uint64_t>(at), bytes, value);
  };
  copy = [](hybrid_inspection* of_run, void* to, const void* from, std::uint64_t bytes) {
    Inspection& self = of(of_run);
    if (bytes > kMostWords) return self.end();
    const auto source = reinterpret_cast<std::uint64_t>(from), target = reinterpret_cast<std::uint64_t>(to);
    std::array<std::uint8_t, kMostWords> all;  // the two may overlap
    for (std::uint64_t i = 0; i < bytes; ++i) all[i] = static_cast<std::uint8_t>(self.read(source + i, 1));
    for (std::uint64_t i = 0; i < bytes; ++i) self.write(target + i, 1, all[i]);
  };
  fill = [](hybrid_inspection* of_run, void* to, std::uint32_t byte, std::uint64_t bytes) {
    if (bytes > 8 * kMostWords) return of(of_run).end();
    for (std::uint64_t i = 0; i < bytes; ++i)
      of(of_run).write(reinterpret_cast<std::uint64_t>(to) + i, 1, byte);
  };
  allocate = [](hybrid_inspection* of_run, std::uint64_t bytes) {
    Inspection& self = of(of_run);
    const std::uint64_t at = self.end_of_own_;
    if (bytes > kMostOwn - (at - kOwn)) {
      self.end();
      return reinterpret_cast<void*>(at);
    }
    self.end_of_own_ += (bytes + 16) & ~std::uint64_t{15};
    return reinterpret_cast<void*>(at);
  };
  query = [](hybrid_inspection* of_run, std::uint32_t what, const std::int32_t* arguments,
             std::uint32_t count) {
    Inspection& self = of(of_run);
    if (self.steps < 0 || count == 0) return std::int32_t{0};
    const std::optional<std::int32_t> answer = self.mpi_.answer(what, {arguments, count});
    if (!answer) self.fail();
    return answer.value_or(0);
  };
  send = [](hybrid_inspection* of_run, std::int32_t peer, std::int32_t communicator,
            std::uint32_t is_speculative) { of(of_run).report(peer, communicator, is_speculative != 0); };
}

std::span<const int> Inspection::run(hybrid_inspector* inspector, const std::uint64_t* inputs) {
  const int error = errno;
  guard_loads();
  steps = kMostSteps;
  failed_ = false;
  words_ = 0;
  end_of_own_ = kOwn;
  ranks_.clear();
  speculative_ = false;
  if (++run_ == 0) {
    std::fill(log_.begin(), log_.end(), Word{});
    run_ = 1;
  }
  inspector(this, inputs);
  std::sort(ranks_.begin(), ranks_.end());
  ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
  errno = error;
  return ranks_;
}

Inspection::Word& Inspection::find(std::uint64_t address) {
  const std::size_t last = log_.size() - 1;
  for (std::size_t at = (address >> 3) * 0x9E3779B97F4A7C15ULL >> 40;; ++at) {
    Word& word = log_[at & last];
    if (word.run != run_ || word.address == address) return word;
  }
}

std::uint64_t Inspection::read(std::uint64_t at, std::uint32_t bytes) {
  if (steps < 0) return 0;
  if (words_ != 0) [[unlikely]] {
    const std::uint64_t first = at & ~std::uint64_t{7};
    const Word& low = find(first);
    const Word& high = at + bytes > first + 8 ? find(first + 8) : low;
    if (low.run == run_ || high.run == run_) {
      std::uint64_t value = 0;
      for (std::uint32_t i = 0; i < bytes; ++i) {
        const std::uint64_t place = at + i;
        const Word& word = place < first + 8 ? low : high;
        const bool is_known = word.run == run_ && (word.known >> (place & 7) & 1) != 0;
        std::uint64_t byte = word.value >> 8 * (place & 7) & 0xFF;
        if (!is_known) {
          const GuardedLoad loaded = is_own(place) ? GuardedLoad{0, 1} : guarded_load(place, 1);
          if (loaded.good == 0) fail();
          byte = loaded.value;
        }
        value |= byte << 8 * i;
      }
      return value;
    }
  }
  if (is_own(at)) return 0;
  const GuardedLoad loaded = guarded_load(at, bytes);
  if (loaded.good == 0) fail();
  return loaded.value;
}

void Inspection::write(std::uint64_t at, std::uint32_t bytes, std::uint64_t value) {
  while (bytes > 0 && steps >= 0) {
    const std::uint64_t address = at & ~std::uint64_t{7};
    const auto offset = static_cast<std::uint32_t>(at & 7), part = std::min(bytes, 8 - offset);
    Word& word = find(address);
    if (word.run != run_) {
      if (words_ == kMostWords) return end();
      ++words_;
      word = {address, 0, 0, run_};
    }
    const std::uint64_t covered = mask(part) << 8 * offset;
    word.value = (word.value & ~covered) | (value << 8 * offset & covered);
    word.known |= static_cast<std::uint8_t>(((1u << part) - 1) << offset);
    at += part;
    bytes -= part;
    value = part == 8 ? 0 : value >> 8 * part;
  }
}

void Inspection::report(std::int32_t peer, std::int32_t communicator, bool speculative) {
  const bool is_request = communicator == HYBRID_STARTED_REQUEST;  // a handle may be negative
  if (steps < 0 || (peer < 0 && !is_request)) return;
  const std::int32_t rank = mpi_.world_rank(communicator, peer);
  if (rank < 0) return;
  speculative_ |= speculative;
  if ((ranks_.empty() || ranks_.back() != rank)) ranks_.push_back(rank);
}

}  // namespace hybrid::shim
