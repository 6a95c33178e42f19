#include "libhybrid/shim/inspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <numeric>
#include <random>

#include "libhybrid/shim/guarded_load.h"

namespace hybrid::shim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// MPI of a job in which communicator 7 has the world ranks 10, 11, ... 17.
class OneCommunicator final : public InspectedMpi {
 public:
  std::optional<std::int32_t> answer(std::uint32_t what, std::span<const std::int32_t> arguments) override {
    if (arguments[0] != 7) return std::nullopt;
    return what == HYBRID_QUERY_RANK ? 3 : 8;
  }
  std::int32_t world_rank(std::int32_t communicator, std::int32_t peer) override {
    return communicator == 7 && peer < 8 ? 10 + peer : -1;
  }
};

class InspectionTest : public ::testing::Test {
 protected:
  OneCommunicator mpi_;
  Inspection inspection_{mpi_};
};

std::uint64_t input(const void* address) { return reinterpret_cast<std::uint64_t>(address); }
template <class T>
T* pointer(std::uint64_t input) {
  return reinterpret_cast<T*>(input);
}

/// A page that cannot be read.
class HiddenPage {
 public:
  HiddenPage() : at_(mmap(nullptr, size(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~HiddenPage() { munmap(at_, size()); }
  HiddenPage(const HiddenPage&) = delete;
  HiddenPage& operator=(const HiddenPage&) = delete;
  void* at() const { return at_; }

 private:
  static std::size_t size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  void* at_;
};

void send_to_loaded(hybrid_inspection* in, const std::uint64_t* inputs) {
  in->send(in, 5, 7, 0);
  in->send(in, static_cast<std::int32_t>(in->load(in, pointer<void>(inputs[0]), 4)), 7, 0);
}

TEST_F(InspectionTest, ReportsEveryRankOnceInOrder) {
  const std::int32_t peer = 2;
  const std::array inputs{input(&peer)};
  EXPECT_THAT(inspection_.run(send_to_loaded, inputs.data()), ElementsAre(12, 15));
  EXPECT_FALSE(inspection_.ended_early());
  const auto others = +[](hybrid_inspection* in, const std::uint64_t*) {
    for (const std::int32_t to : {1, -1, 1, 0, 9, 1, -2}) in->send(in, to, 7, 0);
    in->send(in, 4, 8, 0);
    const std::int32_t world[] = {7};
    in->send(in, in->query(in, HYBRID_QUERY_RANK, world, 1), 7, 0);
  };
  EXPECT_THAT(inspection_.run(others, nullptr), ElementsAre(10, 11, 13))
      << "not MPI_PROC_NULL, nor ranks and communicators that do not exist";
}

TEST_F(InspectionTest, EndsAtMemoryThatDoesNotExist) {
  const HiddenPage hidden;
  for (const void* const address : {static_cast<const void*>(nullptr), static_cast<const void*>(hidden.at()),
                                    pointer<const void>(std::uint64_t{1} << 63)}) {
    const std::array inputs{input(address)};
    errno = 77;
    EXPECT_THAT(inspection_.run(send_to_loaded, inputs.data()), ElementsAre(15)) << "what it reported before";
    EXPECT_TRUE(inspection_.ended_early());
    EXPECT_EQ(errno, 77);
  }
}

TEST_F(InspectionTest, AQueryThatMpiWouldRefuseEndsIt) {
  const auto asks = +[](hybrid_inspection* in, const std::uint64_t*) {
    const std::int32_t other[] = {8};
    in->send(in, in->query(in, HYBRID_QUERY_SIZE, other, 1), 7, 0);
  };
  EXPECT_THAT(inspection_.run(asks, nullptr), IsEmpty());
  EXPECT_TRUE(inspection_.ended_early());
}

volatile sig_atomic_t faults = 0;
void count_fault(int) { faults = faults + 1; }

TEST_F(InspectionTest, FaultsOfTheProgramGoToItsHandler) {
  struct sigaction before{}, now{};
  struct sigaction own{};
  own.sa_handler = count_fault;
  sigaction(SIGSEGV, nullptr, &before);
  const std::array inputs{std::uint64_t{0}};
  for (const int round : {0, 1}) {
    faults = 0;
    set_program_handler(SIGSEGV, &own, nullptr);  // also after inspections
    inspection_.run(send_to_loaded, inputs.data());
    EXPECT_TRUE(inspection_.ended_early()) << round;
    EXPECT_EQ(faults, 0) << "the inspection's";
    raise(SIGSEGV);
    EXPECT_EQ(faults, 1) << "the program's";
    set_program_handler(SIGSEGV, nullptr, &now);
    EXPECT_EQ(now.sa_handler, count_fault) << "the program does not see ours";
  }
  own.sa_flags = SA_RESETHAND;
  set_program_handler(SIGSEGV, &own, nullptr);
  raise(SIGSEGV);
  EXPECT_EQ(faults, 2);
  sigaction(SIGSEGV, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL) << "it was for one signal";
  set_program_handler(SIGSEGV, &before, nullptr);
}

// The kernel ends a program that faults while it blocks the signal.
TEST_F(InspectionTest, EndsAtMemoryThatDoesNotExistAlsoWhereSignalsAreBlocked) {
  const std::int32_t peer = 2;
  const HiddenPage hidden;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  signal_mask_changed();
  const std::array good{input(&peer)}, bad{input(hidden.at())};
  EXPECT_THAT(inspection_.run(send_to_loaded, good.data()), ElementsAre(12, 15));
  EXPECT_THAT(inspection_.run(send_to_loaded, bad.data()), ElementsAre(15));
  EXPECT_TRUE(inspection_.ended_early());
  EXPECT_FALSE(inspection_.reached_limit());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal_mask_changed();
  EXPECT_THAT(inspection_.run(send_to_loaded, bad.data()), ElementsAre(15));
}

TEST_F(InspectionTest, EndsAfterManySteps) {
  const auto endless = +[](hybrid_inspection* in, const std::uint64_t*) {
    in->send(in, 1, 7, 0);
    while (--in->steps >= 0) {
    }
    in->send(in, 2, 7, 0);
  };
  EXPECT_THAT(inspection_.run(endless, nullptr), ElementsAre(11));
  EXPECT_TRUE(inspection_.ended_early());
  EXPECT_TRUE(inspection_.reached_limit());
}

TEST_F(InspectionTest, WritesToALogOnly) {
  // Random accesses of all sizes to memory of the program and of the inspector, compared with a copy.
  constexpr std::size_t kBytes = 64;
  struct State {
    std::array<std::uint8_t, kBytes> program, expected, own{};
    std::mt19937 random{1};
    bool equal = true;
  } state;
  std::iota(state.program.begin(), state.program.end(), std::uint8_t{1});
  state.expected = state.program;
  const auto before = state.program;
  const auto accesses = +[](hybrid_inspection* in, const std::uint64_t* inputs) {
    auto& s = *pointer<State>(inputs[0]);
    auto* const own = static_cast<std::uint8_t*>(in->allocate(in, kBytes));
    for (int i = 0; i < 2000; ++i) {
      const std::uint32_t bytes = 1u << s.random() % 4, at = s.random() % (kBytes - bytes + 1);
      const bool is_own = s.random() % 2 != 0;
      auto& copy = is_own ? s.own : s.expected;
      std::uint8_t* const base = is_own ? own : s.program.data();
      std::uint64_t value = std::uint64_t{s.random()} << 32 | s.random();
      switch (s.random() % 4) {
        case 0:
          in->store(in, base + at, bytes, value);
          std::memcpy(copy.data() + at, &value, bytes);
          break;
        case 1: {
          const std::uint32_t from = s.random() % (kBytes - bytes + 1);
          in->copy(in, base + at, base + from, bytes);
          std::memmove(copy.data() + at, copy.data() + from, bytes);
          break;
        }
        case 2:
          in->fill(in, base + at, value & 0xFF, bytes);
          std::memset(copy.data() + at, static_cast<int>(value & 0xFF), bytes);
          break;
        default:
          value = 0;
          std::memcpy(&value, copy.data() + at, bytes);
          s.equal &= in->load(in, base + at, bytes) == value;
      }
    }
  };
  const std::array inputs{input(&state)};
  for (int run = 0; run < 3; ++run) {
    inspection_.run(accesses, inputs.data());
    EXPECT_FALSE(inspection_.ended_early());
    EXPECT_TRUE(state.equal);
    EXPECT_EQ(state.program, before);
    state.expected = state.program;  // the log is of one run
    state.own = {};
  }
}

TEST_F(InspectionTest, EndsWhenItsMemoryIsFull) {
  const auto large =
      +[](hybrid_inspection* in, const std::uint64_t*) { in->allocate(in, std::uint64_t{1} << 40); };
  inspection_.run(large, nullptr);
  EXPECT_TRUE(inspection_.ended_early());
  const auto writes = +[](hybrid_inspection* in, const std::uint64_t*) {
    auto* const own = static_cast<char*>(in->allocate(in, 1 << 22));
    for (int i = 0; i < 1 << 22 && in->steps >= 0; i += 8) in->store(in, own + i, 8, 1);
  };
  inspection_.run(writes, nullptr);
  EXPECT_TRUE(inspection_.ended_early());
  const std::int32_t peer = 1;
  const std::array inputs{input(&peer)};
  EXPECT_THAT(inspection_.run(send_to_loaded, inputs.data()), ElementsAre(11, 15))
      << "the next run is complete";
}

}  // namespace
}  // namespace hybrid::shim
