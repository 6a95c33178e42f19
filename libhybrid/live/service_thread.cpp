#include "libhybrid/live/service_thread.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <utility>

#include "libhybrid/placement/cpu_set.h"

namespace hybrid {

namespace {

using namespace std::chrono_literals;

// On a CPU without a rank the service reads the queues often. On a shared CPU each step takes a few
// microseconds from a rank: the service then runs less often and at the lowest priority, which limits it to
// 1.5 % of a contended core. Measured with ranks on every core and a command from each every 200 us, it took
// 0.8 % of one core, and half of the grants came within 0.33 ms (16 ranks that yield when they wait; 36 ms
// with ranks that only spin). SCHED_IDLE takes a tenth of that but starves: with spinning ranks a tenth of
// the grants took over a second.
constexpr ServicePace kSparePace(20us, 2ms);
constexpr ServicePace kSharedPace(250us, 10ms);
constexpr int kSharedNice = 19;

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
    thread_ = std::thread([this, &options, configured = std::move(configured)]() mutable {
      const bool spare = options.spare;
      try {
        configured.set_value(configure_thread(options));
      } catch (...) {
        configured.set_exception(std::current_exception());
        return;
      }
      run(spare);
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

void ServiceThread::run(bool spare) {
  ServicePace pace = spare ? kSparePace : kSharedPace;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    const auto pause = pace.after(service_->step());
    lock.lock();
    wake_.wait_for(lock, pause, [this] { return stopping_; });
  }
}

void ServiceThread::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  service_->step();
}

ServiceThread::~ServiceThread() { stop(); }

}  // namespace hybrid
