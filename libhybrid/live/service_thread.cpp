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

// With a CPU of its own the service looks at the queues often. Otherwise each look takes a few microseconds
// from a rank: it looks less often and at the lowest priority, which leaves it at most 1.5 % of a contended
// core. Measured with ranks on every core asking every 200 us, that took 0.8 % of one core, and half the
// grants came within 0.33 ms (16 ranks that yield when they wait; 36 ms with ranks that only spin).
// SCHED_IDLE takes a tenth of that but starves: with spinning ranks a tenth of the grants took over a second.
constexpr ServicePace kSparePace(20us, 2ms);
constexpr ServicePace kSharedPace(250us, 10ms);
constexpr int kSharedNice = 19;

/// Settles where and how the calling thread runs; says so.
std::string settle_thread(const ServiceThread::Options& options) {
  pthread_setname_np(pthread_self(), "hybrid-live");
  std::string note = "live scheduler: ";
  if (options.cpus.empty())
    note += "on any CPU";
  else if (bind_this_thread(CpuSet::parse(options.cpus, "CPUs of the live scheduler")))
    note += "on CPU " + options.cpus;
  else
    note += "on any CPU (the system refuses CPU " + options.cpus + ")";
  if (options.spare) {
    prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds: sleeps end on time
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
  // The program's signals are the program's: the thread inherits a mask that takes none.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::promise<std::string> settled;
  std::future<std::string> note = settled.get_future();
  try {
    thread_ = std::thread([this, &options, settled = std::move(settled)]() mutable {
      const bool spare = options.spare;
      try {
        settled.set_value(settle_thread(options));
      } catch (...) {
        settled.set_exception(std::current_exception());
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
