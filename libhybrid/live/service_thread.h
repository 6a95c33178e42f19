// The thread that runs the service of a host. It sleeps between steps: briefly while there is work, up to
// some milliseconds while no rank sends commands. Ranks never wake it, since that would cost them a system
// call.
//
// If ranks use all CPUs, the thread runs at the lowest priority and less often, so that it takes little time
// from them.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "libhybrid/live/service.h"

namespace hybrid {

/// Time to sleep after a step: `shortest` while there is work, then twice as long each time, up to `longest`.
class ServicePace {
 public:
  using Duration = std::chrono::microseconds;
  constexpr ServicePace(Duration shortest, Duration longest)
      : shortest_(shortest), longest_(longest), current_(shortest) {}
  Duration after(bool busy) {
    current_ = busy ? shortest_ : std::min(2 * current_, longest_);
    return current_;
  }

 private:
  Duration shortest_, longest_, current_;
};

class ServiceThread {
 public:
  struct Options {
    std::string cpus;    // CPUs that the thread may use, in hwloc's list form; "": any
    bool spare = false;  // no rank runs on those CPUs
  };
  /// Starts the thread. Throws std::system_error if that is not possible, UserError for a bad list of CPUs.
  ServiceThread(std::unique_ptr<LiveService> service, const Options& options);
  ~ServiceThread();  // calls stop()
  ServiceThread(const ServiceThread&) = delete;
  ServiceThread& operator=(const ServiceThread&) = delete;

  /// Ends the thread and runs a last step in the calling thread, so that all earlier commands are executed.
  void stop();
  /// The CPUs and priority of the thread, for people; known from the start.
  const std::string& note() const { return note_; }

 private:
  void run(bool spare);

  std::unique_ptr<LiveService> service_;
  std::string note_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace hybrid
