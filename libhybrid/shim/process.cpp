#include "libhybrid/shim/process.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "libhybrid/live/live_job.h"
#include "libhybrid/shim/live_exchange.h"
#include "libhybrid/shim/mpi_library.h"
#include "libhybrid/shim/phases.h"
#include "libhybrid/shim/warnings.h"

namespace hybrid::shim {

std::atomic<Process*> recording{nullptr};
std::atomic<Process*> latest_recording{nullptr};

namespace detail {
constinit thread_local Thread* current_thread = nullptr;

namespace {

// Releases the thread's journal when the thread ends. It is the destructor of a POSIX thread key, which runs
// after the destructors of thread_local objects, and again while destructors of other keys set the key: all
// of them may call MPI. (The main thread's journal lasts to the end of the recording.)
void end_thread(void* thread) {
  current_thread = nullptr;
  Process* const process = recording.load(std::memory_order_acquire);
  if (process != nullptr) process->leave_thread(static_cast<Thread*>(thread));
}

void call_at_thread_end(Thread* thread) {
  struct Key {
    pthread_key_t key{};
    bool made = false;
    Key() : made(pthread_key_create(&key, end_thread) == 0) {}
  };
  static const Key key;
  if (key.made) (void)pthread_setspecific(key.key, thread);
}

}  // namespace

Thread* join_recording() noexcept {
  Process* const process = recording.load(std::memory_order_acquire);
  if (process == nullptr) return nullptr;
  current_thread = process->adopt_thread();
  if (current_thread != nullptr) call_at_thread_end(current_thread);
  return current_thread;
}
}  // namespace detail

Process::Process() = default;
Process::~Process() = default;

Thread* Process::adopt_thread() {
  // A thread without a journal gets here with every call.
  if (no_more_journals_.load(std::memory_order_relaxed)) {
    unrecorded_calls_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  const std::lock_guard lock(threads_mutex_);
  if (!idle_threads_.empty()) {
    Thread* const thread = idle_threads_.back();
    idle_threads_.pop_back();
    thread->resume();
    return thread;
  }
  try {
    const auto number = static_cast<std::uint32_t>(threads_.size());
    JournalHeader header;
    header.rank = static_cast<std::uint32_t>(rank);
    header.thread = number;
    header.ticks_per_second = rules.scale.ticks_per_second();
    header.origin_ticks = clock_start.at;
    header.origin_ns = realtime_start;
    threads_.push_back(std::make_unique<Thread>(
        journal_path(recording_directory, static_cast<std::uint32_t>(rank), number), header, rules));
    return threads_.back().get();
  } catch (const std::exception& error) {
    no_more_journals_.store(true, std::memory_order_relaxed);
    unrecorded_calls_.fetch_add(1, std::memory_order_relaxed);
    warn_once_in_job(
        (std::string("the program continues, but not all of it is recorded: ") + error.what()).c_str());
    return nullptr;
  }
}

void Process::leave_thread(Thread* thread) noexcept {
  end_open_phases(*thread);
  const std::lock_guard lock(threads_mutex_);
  if (finished_) return;
  thread->end();
  idle_threads_.push_back(thread);
}

std::uint64_t Process::finish_threads() {
  const std::uint64_t rate = ticks_per_second(clock_start, ClockSample::now());
  Thread* const own = detail::current_thread;
  const Ticks now = own != nullptr ? own->enter() : ticks();  // the time since its last call is measured
  std::uint64_t lost = 0;
  const std::lock_guard lock(threads_mutex_);
  finished_ = true;
  for (const auto& thread : threads_) {
    // The others ended, or do not call MPI any more: their CPU time since their last call is not known.
    thread->finish(thread.get() == own ? now : 0, rate);
    lost += thread->lost();
  }
  return lost;
}

std::uint32_t Process::region(const char* name) {
  const std::lock_guard lock(regions_mutex_);
  const auto found = regions_.find(std::string_view(name));
  if (found != regions_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(regions_.size());
  regions_.emplace(name, id);
  definitions->region(id, name);
  return id;
}

}  // namespace hybrid::shim
