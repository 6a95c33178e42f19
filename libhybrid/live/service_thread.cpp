#include "libhybrid/live/service_thread.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <future>
#include <utility>

#include "libhybrid/placement/cpu_set.h"

namespace hybrid {

namespace {

using namespace std::chrono_literals;

// On a CPU without a rank the service reads often and costs the ranks nothing. On a shared CPU each step
// takes some microseconds from a rank: it then runs less often, at the lowest priority and within the limit.
// The scheduling class SCHED_IDLE starves: with spinning ranks a tenth of the grants took over a second.
constexpr ServicePace kSparePace(20us, 2ms);
constexpr ServicePace kSharedPace(250us, 10ms, 0.01);
constexpr int kSharedNice = 19;

using Duration = ServicePace::Duration;

/// CPU time of the calling thread.
Duration thread_cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// Sets the CPUs and the priority of the calling thread. Returns a description of both.
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
  // Linux keeps a nice value per thread.
  if (setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kSharedNice) == 0)
    note += ", at lowest priority";
  return note;
}

}  // namespace

ServiceThread::ServiceThread(std::unique_ptr<LiveService> service, const Options& options)
    : service_(std::move(service)) {
  // Signals are for the threads of the program: this thread inherits a mask that blocks all of them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::promise<std::string> configured;
  std::future<std::string> note = configured.get_future();
  try {
    thread_ = std::thread([this, options, configured = std::move(configured)]() mutable {
      try {
        configured.set_value(configure_thread(options));
      } catch (...) {
        configured.set_exception(std::current_exception());
        return;
      }
      run(options);
    });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  try {
    note_ = note.get();
  } catch (...) {
    thread_.join();
    throw;
  }
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

void ServiceThread::run(const Options& options) {
  ServicePace pace = options.spare ? kSparePace : kSharedPace;
  const auto cpu_time = options.cpu_time ? options.cpu_time : &thread_cpu_time;
  service_->step();  // the first one also maps the memory, once, and is not counted
  const auto start = std::chrono::steady_clock::now();
  const Duration cpu = cpu_time();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    const bool busy = service_->step();
    const auto pause = pace.after(busy, cpu_time() - cpu, std::chrono::steady_clock::now() - start);
    lock.lock();
    if (!pause) break;
    wake_.wait_for(lock, *pause, [this] { return stopping_; });
  }
  step_back_ = pace.step_back();
  if (step_back_.stopped_at) service_->clear_rows();
}

void ServiceThread::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  if (!step_back_.stopped_at) service_->step();
}

ServiceThread::~ServiceThread() { stop(); }

}  // namespace hybrid
