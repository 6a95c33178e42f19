#include "libhybrid/live/live_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <numeric>

#include "core/error.h"
#include "emulator/scheduler/model_port.h"
#include "libhybrid/live/service.h"
#include "libhybrid/live/service_thread.h"
#include "libhybrid/live/testing/instant_port.h"
#include "libhybrid/live/testing/manual_clock.h"
#include "libhybrid/live/testing/shared_memory.h"
#include "libhybrid/live/testing/thread_exchange.h"

namespace hybrid {
namespace {

using ::testing::HasSubstr;

LiveConfig config_of(std::uint32_t rank, std::vector<std::uint32_t> host_of_rank) {
  LiveConfig config;
  config.host = host_of_rank[rank];
  config.port_of_rank.resize(host_of_rank.size());
  std::iota(config.port_of_rank.begin(), config.port_of_rank.end(), 0);
  config.host_of_rank = std::move(host_of_rank);
  config.world_rank = rank;
  config.clock = real_clock();
  config.service_cpus_spare = true;  // no limit of CPU time: a service that stops itself grants nothing more
  config.make_port = [](const SwitchParameters& p) {
    return std::make_unique<InstantPort>(SchedulerPort::Shape{p.nodes, p.slots}, nullptr);
  };
  return config;
}

/// Calls progress() until the condition holds; the test driver stops a test that never ends.
template <class Condition>
void until(LiveJob& job, Condition holds) {
  while (!holds()) {
    job.progress();
    std::this_thread::yield();
  }
}

TEST(LiveJob, RanksOfAHostSendCommandsAndSeeTheirGrants) {
  constexpr std::uint32_t kRanks = 6;
  const auto before = shared_memory_objects();
  Exchanges all(std::vector<std::uint32_t>(kRanks, 0));
  run_ranks(kRanks, [&](std::uint32_t rank) {
    ThreadExchange exchange(all, rank);
    std::string note;
    const auto job = LiveJob::start(config_of(rank, std::vector<std::uint32_t>(kRanks, 0)), exchange, note);
    ASSERT_NE(job, nullptr) << note;
    EXPECT_EQ(note.empty(), rank != 0) << note;
    all.wait();
    EXPECT_EQ(shared_memory_objects(), before) << "the name is gone while all ranks use the memory";
    EXPECT_FALSE(job->carries());

    LiveClient client = job->client();
    const Port to = (rank + 1) % kRanks;
    EXPECT_FALSE(client.count_send(to));
    client.request(to);
    until(*job, [&] { return client.established(to); });
    EXPECT_TRUE(client.count_send(to));
    EXPECT_TRUE(client.count_send(to));
    client.flush();
    until(*job, [&] { return !client.established(to); });
    client.request(to);
    until(*job, [&] { return client.established(to); });
    client.release(to);
    all.wait();  // the first rank stops last, after the service has executed the commands of the others

    LiveCounters counters;
    if (rank != 0) counters = job->stop();
    all.wait();
    if (rank == 0) counters = job->stop();
    EXPECT_EQ(counters.requests, 2u);
    EXPECT_EQ(counters.releases, 1u);
    EXPECT_EQ(counters.flushes, 1u);
    EXPECT_EQ(counters.hits, 2u);
    EXPECT_EQ(counters.misses, 1u);
    if (rank == 0) {
      EXPECT_EQ(counters.grants, 2u);
    }
    EXPECT_FALSE(job->client().active());
    EXPECT_EQ(job->stop(), LiveCounters());
  });
  EXPECT_EQ(shared_memory_objects(), before);
}

TEST(LiveJob, TheEmbeddedModelIsTheDefaultScheduler) {
  Exchanges all({0, 0});
  run_ranks(2, [&](std::uint32_t rank) {
    ThreadExchange exchange(all, rank);
    std::string note;
    LiveConfig config = config_of(rank, {0, 0});
    config.make_port = nullptr;
    config.network.preload = 1;
    const auto job = LiveJob::start(config, exchange, note);
    ASSERT_NE(job, nullptr) << note;
    LiveClient client = job->client();
    const Port destinations[] = {1 - rank};
    job->preload(destinations);
    until(*job, [&] { return client.established(1 - rank); });
    client.flush();
    until(*job, [&] { return !client.established(1 - rank); });
    client.request(1 - rank);
    until(*job, [&] { return client.established(1 - rank); });
    all.wait();
    EXPECT_EQ(job->stop().preloads, 1u);
  });
}

TEST(LiveJob, StopExecutesAllEarlierCommands) {
  // While the clock does not advance, the service sleeps long between steps; stop() runs the last step
  // itself.
  ManualClock clock;
  std::vector<std::string> log;
  Exchanges all({0});
  ThreadExchange exchange(all, 0);
  LiveConfig config = config_of(0, {0});
  config.clock = clock.clock();
  config.make_port = [&log](const SwitchParameters& p) {
    return std::make_unique<InstantPort>(SchedulerPort::Shape{p.nodes, p.slots}, &log);
  };
  std::string note;
  const auto job = LiveJob::start(config, exchange, note);
  ASSERT_NE(job, nullptr) << note;
  LiveClient client = job->client();
  for (int i = 0; i < 10; ++i) client.request(1);
  const LiveCounters counters = job->stop();
  EXPECT_EQ(counters.requests, 10u);
  EXPECT_EQ(counters.grants, 1u);
  ASSERT_NE(job->step_back(), nullptr);
  EXPECT_FALSE(job->step_back()->stopped_at);
  client.request(1);  // from a thread that does not know of the stop: has no effect
}

TEST(LiveJob, SeveralHostsTalkThroughTheLink) {
  const std::vector<std::uint32_t> host_of_rank{0, 1, 2, 0, 1, 2};
  constexpr std::uint32_t kRanks = 6;
  Exchanges all(host_of_rank);
  Loopback link(3);
  std::atomic<std::uint32_t> served{0};
  run_ranks(kRanks, [&](std::uint32_t rank) {
    ThreadExchange exchange(all, rank);
    LiveConfig config = config_of(rank, host_of_rank);
    config.link = rank < 3 ? link.end(host_of_rank[rank]) : nullptr;
    std::string note;
    const auto job = LiveJob::start(config, exchange, note);
    ASSERT_NE(job, nullptr) << note;
    EXPECT_EQ(job->carries(), rank < 3);
    LiveClient client = job->client();
    for (Port to = 0; to < kRanks; ++to)
      if (to != rank) client.request(to);
    const auto complete = [&] {
      for (Port to = 0; to < kRanks; ++to)
        if (to != rank && !client.established(to)) return false;
      return true;
    };
    until(*job, complete);
    ++served;
    until(*job, [&] { return served == kRanks; });  // the first ranks carry the messages of the others
    const LiveCounters counters = job->stop();
    EXPECT_EQ(counters.requests, 5u);
    EXPECT_EQ(counters.grants, 5u);
    all.wait();
  });
}

TEST(LiveJob, StartsOnNoRankIfOneRankFails) {
  Exchanges all({0, 0, 1});
  const auto before = shared_memory_objects();
  run_ranks(3, [&](std::uint32_t rank) {
    ThreadExchange exchange(all, rank);
    Loopback link(2);
    LiveConfig config = config_of(rank, {0, 0, 1});
    config.link = link.end(config.host);
    config.make_port = [](const SwitchParameters&) -> std::unique_ptr<SchedulerPort> {
      throw UserError("scheduler 'gredy' is unknown");
    };
    std::string note;
    EXPECT_EQ(LiveJob::start(config, exchange, note), nullptr);
    EXPECT_THAT(note, HasSubstr(rank == 0 ? "gredy" : "another rank"));
  });
  EXPECT_EQ(shared_memory_objects(), before);
}

TEST(LiveJob, TheServiceTakesNoSignals) {
  // Any thread that does not block a process-wide signal may get it. Blocked here, it must stay pending.
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  Exchanges all({0});
  ThreadExchange exchange(all, 0);
  std::string note;
  const auto job = LiveJob::start(config_of(0, {0}), exchange, note);
  ASSERT_NE(job, nullptr) << note;
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &one, &before), 0);
  EXPECT_EQ(sigismember(&before, SIGUSR1), 0) << "the mask of the program is unchanged";
  ASSERT_EQ(kill(getpid(), SIGUSR1), 0);  // its default action would end the process
  LiveClient client = job->client();
  client.request(1);
  until(*job, [&] { return client.established(1); });
  sigset_t pending;
  ASSERT_EQ(sigpending(&pending), 0);
  EXPECT_EQ(sigismember(&pending, SIGUSR1), 1);
  int taken = 0;
  ASSERT_EQ(sigwait(&one, &taken), 0);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

/// Starts a child process that runs `body` and then waits to be killed. Returns when `body` calls its
/// argument, or with a failed expectation when the child ends before that.
template <class Body>
pid_t child_that(Body body) {
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    body([&] { EXPECT_EQ(write(pipe_ends[1], "x", 1), 1); });
    while (true) pause();
  }
  close(pipe_ends[1]);  // so that the end of the child ends the read
  char byte = 0;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 1) << "the child has ended";
  close(pipe_ends[0]);
  return child;
}

void kill_and_wait(pid_t child) {
  ASSERT_EQ(kill(child, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

// The children of these tests start threads, so the tests must run while the process has only one: a child of
// a multithreaded process may not start threads with the thread sanitizer, and the service thread of an
// earlier test can still be ending. GoogleTest runs suites with this ending first.
TEST(LiveJobKilledDeathTest, LeavesNothingInSharedMemory) {
  const auto before = shared_memory_objects();
  const pid_t child = child_that([](auto ready) {
    Exchanges all({0});
    ThreadExchange exchange(all, 0);
    std::string note;
    const auto job = LiveJob::start(config_of(0, {0}), exchange, note);
    LiveClient client = job->client();
    client.request(1);
    until(*job, [&] { return client.established(1); });
    ready();
    while (true) client.request(1);
  });
  kill_and_wait(child);
  EXPECT_EQ(shared_memory_objects(), before);
}

TEST(LiveJobKilledDeathTest, ARankContinuesAfterItsServiceDied) {
  LiveMapping mapping =
      LiveMapping::create({std::vector<std::uint32_t>{0, 1}, std::vector<Port>{0, 1}, 2, 1});
  LiveRegion& region = *mapping.region();
  const pid_t service = child_that([&region](auto ready) {
    ServiceThread thread(
        std::make_unique<OwningService>(
            region, real_clock(),
            LiveArbiter(std::make_unique<InstantPort>(SchedulerPort::Shape{2, 1}, nullptr), {0, 1}, 0),
            std::vector<std::uint32_t>{0, 0}, std::vector<Port>{0, 1}, nullptr,
            std::span<const std::unique_ptr<MessageRing>>()),
        {"", true, {}});
    ready();
    while (true) pause();
  });
  LiveClient client(&region, 1);
  client.request(0);
  while (!client.established(0)) std::this_thread::yield();
  kill_and_wait(service);
  for (int i = 0; i < 3000; ++i) {
    client.release(0);
    client.request(0);
    client.preload(0);
    client.flush();
  }
  EXPECT_TRUE(client.established(0)) << "the row is unchanged";
}

TEST(LiveJobKilledDeathTest, AServiceContinuesAfterARankDied) {
  LiveMapping mapping =
      LiveMapping::create({std::vector<std::uint32_t>{0, 1}, std::vector<Port>{0, 1}, 2, 1});
  LiveRegion& region = *mapping.region();
  const pid_t rank = child_that([&region](auto ready) {
    LiveClient client(&region, 1);
    ready();
    while (true) {
      client.request(0);
      client.preload(0);
      client.flush();
    }
  });
  kill_and_wait(rank);  // while it sends commands
  OwningService service(
      region, real_clock(),
      LiveArbiter(std::make_unique<InstantPort>(SchedulerPort::Shape{2, 1}, nullptr), {0, 1}, 0),
      std::vector<std::uint32_t>{0, 0}, std::vector<Port>{0, 1}, nullptr, {});
  LiveClient client(&region, 0);
  client.request(1);
  service.step();
  EXPECT_TRUE(client.established(1));
}

TEST(LiveJob, AForkedChildHasNoPartInIt) {
  Exchanges all({0});
  ThreadExchange exchange(all, 0);
  std::string note;
  auto job = LiveJob::start(config_of(0, {0}), exchange, note);
  ASSERT_NE(job, nullptr) << note;
  LiveClient client = job->client();
  for (int i = 0; i < 10; ++i) {
    client.request(1);
    until(*job, [&] { return client.established(1); });
    const pid_t child = fork();
    if (child == 0) {
      job.reset();  // as an exit handler of the child might; must not wait for the thread, which is not
                    // copied
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    client.release(1);
    until(*job, [&] { return !client.established(1); });
  }
  EXPECT_EQ(job->stop().requests, 10u);
}

}  // namespace
}  // namespace hybrid
