#include "libhybrid/live/service_thread.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <exception>
#include <future>
#include <thread>
#include <utility>

#include "libhybrid/placement/cpu_set.h"

namespace hybrid {

namespace {

using namespace std::chrono_literals;

// On a CPU without a rank the service reads often and costs the ranks nothing. On a shared CPU each step
// takes some microseconds from a rank: it then runs less often, at the lowest priority and within the limit.
// The scheduling class SCHED_IDLE starves: with spinning ranks a tenth of the grants took over a second.
ServicePace pace_of(bool spare) { return spare ? ServicePace(20us, 2ms) : ServicePace(250us, 10ms, 0.01); }
constexpr int kSharedNice = 19;

using Duration = ServicePace::Duration;

/// CPU time of the calling thread.
Duration thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Sets the CPUs of the calling thread. Returns a description of them and of the priority.
std::string configure_thread(const ServiceThread::Options& options) {
  pthread_setname_np(pthread_self(), "hybrid-live");
  std::string note = "live scheduler: ";
  if (options.cpus.empty())
    note += "on any CPU";
  else if (bind_this_thread(CpuSet::parse(options.cpus, "CPUs of the live scheduler")))
    note += "on CPU " + options.cpus;
  else
    note += "on any CPU (the system refuses CPU " + options.cpus + ")";
  if (options.spare) {
    prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds; sleeps end on time
    return note;
  }
  return note + ", at lowest priority";
}

// Not before the rank that waits for the description continues: at this priority the thread may wait long for
// a CPU. Linux keeps a nice value per thread, and raising it is always allowed.
void lower_priority() { setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kSharedNice); }

}  // namespace

ServiceThread::ServiceThread(std::unique_ptr<LiveService> service, const Options& options) {
  state_->service = std::move(service);
  // Signals are for the threads of the program: this thread inherits a mask that blocks all of them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::promise<std::string> configured;
  std::future<std::string> note = configured.get_future();
  try {
    std::thread([state = state_, options, configured = std::move(configured)]() mutable {
      try {
        configured.set_value(configure_thread(options));
      } catch (...) {
        configured.set_exception(std::current_exception());
        return;
      }
      if (!options.spare) lower_priority();
      run(*state, options);
    }).detach();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  note_ = note.get();
}

std::optional<Duration> ServicePace::after(bool busy, Duration cpu, Duration elapsed) {
  current_ = busy ? shortest_ : std::min(2 * current_, longest_);
  step_back_.cpu = cpu;
  if (share_ == 0) return current_;
  const Duration sleep(static_cast<Duration::rep>(static_cast<double>(cpu.count()) / share_) -
                       elapsed.count());
  if (sleep > longest_ && !step_back_.sampling_since) step_back_.sampling_since = elapsed;
  if (sleep > kLongestSample) {
    step_back_.stopped_at = elapsed;
    return std::nullopt;
  }
  return std::max(sleep, current_);
}

/// Makes a step of the service. The job goes on without a live scheduler if that fails (a serial line that is
/// unplugged): ranks then see no grants, and `failure` has the reason.
bool ServiceThread::step(State& state) {
  try {
    return state.service->step();
  } catch (const std::exception& error) {
    state.failure = error.what();
    state.service->clear_rows();
    return false;
  }
}

void ServiceThread::run(State& state, const Options& options) {
  ServicePace pace = pace_of(options.spare);
  const auto cpu_time = options.cpu_time ? options.cpu_time : &thread_cpu_time;
  std::unique_lock lock(state.mutex);
  if (state.stopping) return;
  step(state);  // the first one also maps the memory, once, and is not counted
  const auto start = std::chrono::steady_clock::now();
  const Duration cpu = cpu_time();
  while (!state.stopping && state.failure.empty()) {
    const bool busy = step(state);
    const auto pause = pace.after(busy, cpu_time() - cpu, std::chrono::steady_clock::now() - start);
    state.step_back = pace.step_back();
    if (!pause) return state.service->clear_rows();
    state.wake.wait_for(lock, *pause, [&] { return state.stopping; });
  }
}

void ServiceThread::stop() {
  if (state_ == nullptr) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    if (!state_->step_back.stopped_at && state_->failure.empty()) step(*state_);
    step_back_ = state_->step_back;
    step_back_.failure = std::move(state_->failure);
    state_->service.reset();
  }
  state_->wake.notify_one();
  state_.reset();
}

ServiceThread::~ServiceThread() { stop(); }

}  // namespace hybrid
