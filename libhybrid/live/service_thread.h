// The thread around a host's service. It sleeps between steps, briefly while there is something to do and up
// to some milliseconds when nobody asks anything: ranks never wake it, since that would take them a system
// call.
//
// Where all CPUs belong to ranks it runs at the lowest priority and looks less often, so that it takes next
// to nothing from them.
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

/// How long to sleep after a step: `shortest` while there is something to do, then twice as long each time,
/// up to `longest`.
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
    std::string cpus;    // where it may run, hwloc's list form; "": anywhere
    bool spare = false;  // nobody else needs those CPUs
  };
  /// Starts at once. Throws std::system_error when no thread can be made.
  ServiceThread(std::unique_ptr<LiveService> service, const Options& options);
  /// As stop().
  ~ServiceThread();
  ServiceThread(const ServiceThread&) = delete;
  ServiceThread& operator=(const ServiceThread&) = delete;

  /// Ends the thread and makes the last step in the caller, so that all that was asked before is served.
  void stop();
  /// Where and how it runs, for people; known from the start.
  const std::string& note() const { return note_; }

 private:
  void run(bool spare);

  std::unique_ptr<LiveService> service_;
  std::string note_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // under mutex_
  std::thread thread_;
};

}  // namespace hybrid
