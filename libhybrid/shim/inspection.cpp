#include "libhybrid/shim/inspection.h"

#include <mpi.h>
#include <signal.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "libhybrid/shim/mpi_library.h"
#include "libhybrid/shim/process.h"

#if defined(__x86_64__)
// {value, 1} = hybrid_guarded_load_N(address): reads N bytes; {0, 0} if they cannot be read.
asm(R"(
.text
.hidden hybrid_guarded_load_1, hybrid_guarded_load_2, hybrid_guarded_load_4, hybrid_guarded_load_8
.hidden hybrid_guarded_begin, hybrid_guarded_end, hybrid_guarded_failed
.globl hybrid_guarded_load_1, hybrid_guarded_load_2, hybrid_guarded_load_4, hybrid_guarded_load_8
.globl hybrid_guarded_begin, hybrid_guarded_end, hybrid_guarded_failed
hybrid_guarded_begin:
hybrid_guarded_load_1:
  movzbl (%rdi), %eax
  movl $1, %edx
  ret
hybrid_guarded_load_2:
  movzwl (%rdi), %eax
  movl $1, %edx
  ret
hybrid_guarded_load_4:
  movl (%rdi), %eax
  movl $1, %edx
  ret
hybrid_guarded_load_8:
  movq (%rdi), %rax
  movl $1, %edx
  ret
hybrid_guarded_end:
hybrid_guarded_failed:
  xorl %eax, %eax
  xorl %edx, %edx
  ret
)");
#endif

namespace hybrid::shim {
namespace {

struct Loaded {
  std::uint64_t value;
  std::uint64_t good;
};

#if defined(__x86_64__)
extern "C" {
Loaded hybrid_guarded_load_1(std::uint64_t);
Loaded hybrid_guarded_load_2(std::uint64_t);
Loaded hybrid_guarded_load_4(std::uint64_t);
Loaded hybrid_guarded_load_8(std::uint64_t);
extern const char hybrid_guarded_begin[], hybrid_guarded_end[], hybrid_guarded_failed[];
}

Loaded guarded_load(std::uint64_t at, std::uint32_t bytes) {
  switch (bytes) {
    case 1:
      return hybrid_guarded_load_1(at);
    case 2:
      return hybrid_guarded_load_2(at);
    case 4:
      return hybrid_guarded_load_4(at);
    default:
      return hybrid_guarded_load_8(at);
  }
}

/// The handlers of the program, which ours calls for its faults.
struct Guard {
  std::mutex mutex;
  struct sigaction segv, bus;  // NOLINT(misc-non-private-member-variables-in-classes)
};
constinit Guard guard{};

void on_fault(int signal, siginfo_t* info, void* context) {
  auto* const machine = static_cast<ucontext_t*>(context);
  const auto at = static_cast<std::uint64_t>(machine->uc_mcontext.gregs[REG_RIP]);
  if (at >= reinterpret_cast<std::uint64_t>(hybrid_guarded_begin) &&
      at < reinterpret_cast<std::uint64_t>(hybrid_guarded_end)) {
    machine->uc_mcontext.gregs[REG_RIP] =
        static_cast<greg_t>(reinterpret_cast<std::uint64_t>(hybrid_guarded_failed));
    return;
  }
  const struct sigaction& theirs = signal == SIGSEGV ? guard.segv : guard.bus;
  if ((theirs.sa_flags & SA_SIGINFO) != 0) return theirs.sa_sigaction(signal, info, context);
  if (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN) return theirs.sa_handler(signal);
  // As without us: after the return the instruction faults again, and the signal has its default effect.
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
}

/// Puts our handler in front of the program's. The program may have set another one since the last time.
void put_in_front(int signal, struct sigaction& theirs) {
  struct sigaction now{};
  if (sigaction(signal, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) return;
  const std::lock_guard lock(guard.mutex);
  theirs = now;
  struct sigaction ours = now;  // with its mask and flags, so that it is called as without us
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_flags &= ~static_cast<int>(SA_RESETHAND);
  ours.sa_sigaction = on_fault;
  sigaction(signal, &ours, nullptr);
}

void prepare_guard() {
  put_in_front(SIGSEGV, guard.segv);
  put_in_front(SIGBUS, guard.bus);
}
#else
Loaded guarded_load(std::uint64_t at, std::uint32_t bytes) {
  std::uint64_t value = 0;
  iovec to{&value, bytes};
  iovec from{reinterpret_cast<void*>(at), bytes};
  const bool good = process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(bytes);
  return {good ? value : 0, good};
}
void prepare_guard() {}
#endif

constexpr std::uint64_t mask(std::uint32_t bytes) {
  return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
}

/// A Cartesian communicator.
struct Grid {
  static constexpr int kMostDimensions = 16;
  int dimensions = 0;
  std::array<int, kMostDimensions> sizes{}, periods{}, here{};

  /// Returns false for other communicators.
  bool read(MPI_Comm comm) {
    int topology = MPI_UNDEFINED;
    if (mpi::Topo_test(comm, &topology) != MPI_SUCCESS || topology != MPI_CART) return false;
    if (mpi::Cartdim_get(comm, &dimensions) != MPI_SUCCESS || dimensions > kMostDimensions) return false;
    return mpi::Cart_get(comm, dimensions, sizes.data(), periods.data(), here.data()) == MPI_SUCCESS;
  }
  /// The rank at these coordinates, which are in row-major order (MPI 4.0, 8.2); MPI_PROC_NULL outside.
  int rank(std::span<const int> coordinates) const {
    std::int64_t rank = 0;
    for (int i = 0; i < dimensions; ++i) {
      const auto at = static_cast<std::size_t>(i);
      std::int64_t coordinate = coordinates[at];
      if (periods[at] != 0) coordinate = (coordinate % sizes[at] + sizes[at]) % sizes[at];
      if (coordinate < 0 || coordinate >= sizes[at]) return MPI_PROC_NULL;
      rank = rank * sizes[at] + coordinate;
    }
    return static_cast<int>(rank);
  }
  int coordinate(int rank, int dimension) const {
    for (int i = dimensions - 1; i > dimension; --i) rank /= sizes[static_cast<std::size_t>(i)];
    return rank % sizes[static_cast<std::size_t>(dimension)];
  }
};

std::optional<int> neighbor(MPI_Comm comm, bool to, int number) {
  int topology = MPI_UNDEFINED, in = 0, out = 0, weighted = 0;
  if (mpi::Topo_test(comm, &topology) != MPI_SUCCESS || topology != MPI_DIST_GRAPH) return std::nullopt;
  mpi::Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  const int count = to ? out : in;
  if (number < 0) return count;
  if (number >= count) return std::nullopt;
  std::vector<int> from(static_cast<std::size_t>(in) + 1), into(static_cast<std::size_t>(out) + 1);
  std::vector<int> weights(from.size() + into.size());
  mpi::Dist_graph_neighbors(comm, in, from.data(), weights.data(), out, into.data(), weights.data() + in);
  return (to ? into : from)[static_cast<std::size_t>(number)];
}

}  // namespace

Inspection::Inspection() : hybrid_inspection{}, log_(2 * kMostWords) {
  load = [](hybrid_inspection* of_run, const void* at, std::uint32_t bytes) {
    return of(of_run).read(reinterpret_cast<std::uint64_t>(at), bytes);
  };
  store = [](hybrid_inspection* of_run, void* at, std::uint32_t bytes, std::uint64_t value) {
    of(of_run).write(reinterpret_cast<std::uint64_t>(at), bytes, value);
  };
  copy = [](hybrid_inspection* of_run, void* to, const void* from, std::uint64_t bytes) {
    Inspection& self = of(of_run);
    if (bytes > kMostWords) return self.fail();
    const auto source = reinterpret_cast<std::uint64_t>(from), target = reinterpret_cast<std::uint64_t>(to);
    std::vector<std::uint8_t> all(bytes);  // the two may overlap
    for (std::uint64_t i = 0; i < bytes; ++i) all[i] = static_cast<std::uint8_t>(self.read(source + i, 1));
    for (std::uint64_t i = 0; i < bytes; ++i) self.write(target + i, 1, all[i]);
  };
  fill = [](hybrid_inspection* of_run, void* to, std::uint32_t byte, std::uint64_t bytes) {
    if (bytes > 8 * kMostWords) return of(of_run).fail();
    for (std::uint64_t i = 0; i < bytes; ++i)
      of(of_run).write(reinterpret_cast<std::uint64_t>(to) + i, 1, byte);
  };
  allocate = [](hybrid_inspection* of_run, std::uint64_t bytes) {
    Inspection& self = of(of_run);
    const std::uint64_t at = self.end_of_own_;
    if (bytes > kMostOwn - (at - kOwn)) {
      self.fail();
      return reinterpret_cast<void*>(at);
    }
    self.end_of_own_ += (bytes + 16) & ~std::uint64_t{15};
    return reinterpret_cast<void*>(at);
  };
  query = [](hybrid_inspection* of_run, std::uint32_t what, const std::int32_t* arguments,
             std::uint32_t count) { return of(of_run).answer(what, {arguments, count}); };
  send = [](hybrid_inspection* of_run, std::int32_t peer, std::int32_t communicator, std::uint32_t) {
    of(of_run).report(peer, communicator);
  };
}

std::span<const int> Inspection::run(hybrid_inspector* inspector, const std::uint64_t* inputs) {
  const int error = errno;
  prepare_guard();
  steps = kMostSteps;
  words_ = 0;
  end_of_own_ = kOwn;
  ranks_.clear();
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
    const Word* const high = at + bytes > first + 8 ? &find(first + 8) : nullptr;
    if (low.run == run_ || (high != nullptr && high->run == run_)) {
      std::uint64_t value = 0;
      for (std::uint32_t i = 0; i < bytes; ++i) {
        const std::uint64_t place = at + i;
        const Word& word = place < first + 8 ? low : *high;
        const bool is_known = word.run == run_ && (word.known >> (place & 7) & 1) != 0;
        std::uint64_t byte = word.value >> 8 * (place & 7) & 0xFF;
        if (!is_known) {
          const Loaded loaded = is_own(place) ? Loaded{0, 1} : guarded_load(place, 1);
          if (loaded.good == 0) fail();
          byte = loaded.value;
        }
        value |= byte << 8 * i;
      }
      return value;
    }
  }
  if (is_own(at)) return 0;
  const Loaded loaded = guarded_load(at, bytes);
  if (loaded.good == 0) fail();
  return loaded.value;
}

void Inspection::write(std::uint64_t at, std::uint32_t bytes, std::uint64_t value) {
  while (bytes > 0 && steps >= 0) {
    const std::uint64_t address = at & ~std::uint64_t{7};
    const auto offset = static_cast<std::uint32_t>(at & 7), part = std::min(bytes, 8 - offset);
    Word& word = find(address);
    if (word.run != run_) {
      if (words_ == kMostWords) return fail();
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

std::int32_t Inspection::answer(std::uint32_t what, std::span<const std::int32_t> arguments) {
  if (steps < 0 || arguments.empty()) return 0;
  if (what == HYBRID_QUERY_DIMENSION) {
    std::vector<int> sizes(arguments.begin() + 2, arguments.end());
    std::int64_t given = 1;
    for (const int size : sizes) given = size < 0 || given > arguments[0] ? 0 : given * std::max(size, 1);
    if (given <= 0 || arguments[0] <= 0 || arguments[0] % given != 0 || arguments[1] < 0 ||
        static_cast<std::size_t>(arguments[1]) >= sizes.size() ||
        (std::find(sizes.begin(), sizes.end(), 0) == sizes.end() && given != arguments[0])) {
      fail();
      return 0;
    }
    mpi::Dims_create(arguments[0], static_cast<int>(sizes.size()), sizes.data());
    return sizes[static_cast<std::size_t>(arguments[1])];
  }
  const Communicator* const known = process().communicators.find(static_cast<std::uint32_t>(arguments[0]));
  if (known == nullptr) {
    fail();
    return 0;
  }
  const auto comm = static_cast<MPI_Comm>(arguments[0]);
  const auto size = static_cast<int>(known->members.size());
  Grid grid;
  switch (what) {
    case HYBRID_QUERY_RANK:
      return known->rank;
    case HYBRID_QUERY_SIZE:
      return size;
    case HYBRID_QUERY_COORDINATE:
      if (!grid.read(comm) || arguments[1] < 0 || arguments[1] >= size || arguments[2] < 0 ||
          arguments[2] >= grid.dimensions)
        break;
      return grid.coordinate(arguments[1], arguments[2]);
    case HYBRID_QUERY_CART_RANK: {
      if (!grid.read(comm) || static_cast<int>(arguments.size()) - 1 < grid.dimensions) break;
      return grid.rank(arguments.subspan(1));
    }
    case HYBRID_QUERY_SHIFT: {
      if (!grid.read(comm) || arguments[1] < 0 || arguments[1] >= grid.dimensions) break;
      std::array<int, Grid::kMostDimensions> there = grid.here;
      const std::int64_t by = arguments[3] != 0 ? arguments[2] : -std::int64_t{arguments[2]};
      const auto dimension = static_cast<std::size_t>(arguments[1]);
      there[dimension] =
          static_cast<int>(std::clamp<std::int64_t>(there[dimension] + by, INT32_MIN, INT32_MAX));
      return grid.rank(there);
    }
    case HYBRID_QUERY_DEGREE:
    case HYBRID_QUERY_NEIGHBOR:
      if (const auto found =
              neighbor(comm, arguments[1] != 0, what == HYBRID_QUERY_DEGREE ? -1 : std::max(arguments[2], 0)))
        return *found;
      break;
    default:
      break;
  }
  fail();
  return 0;
}

void Inspection::report(std::int32_t peer, std::int32_t communicator) {
  if (steps < 0 || peer < 0) return;
  const Communicator* const known = process().communicators.find(static_cast<std::uint32_t>(communicator));
  if (known == nullptr) return;
  const std::int32_t rank = known->world_rank(peer);
  if (rank < 0 || rank == process().rank || (!ranks_.empty() && ranks_.back() == rank)) return;
  ranks_.push_back(rank);
}

}  // namespace hybrid::shim
