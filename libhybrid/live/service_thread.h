// The thread that runs the service of a host. It sleeps between steps: briefly while there is work, up to
// some milliseconds while no rank sends commands. Ranks never wake it, since that would cost them a system
// call.
//
// If ranks use all CPUs, the thread runs at the lowest priority and takes at most 1 % of the job's time: it
// compares its CPU clock with the time since its start and sleeps as long as necessary. A low priority alone
// is no limit: ranks that yield the CPU while they wait pass their share to the thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "libhybrid/live/service.h"

namespace hybrid {

/// How a service stepped back because it took too much CPU time, or stopped because its scheduler failed.
/// Times since its start.
struct ServiceStepBack {
  using Duration = std::chrono::nanoseconds;
  std::optional<Duration> sampling_since;  // from here on its sleeps were longer than those of an idle one
  std::optional<Duration> stopped_at;
  Duration cpu{};       // CPU time of the service
  std::string failure;  // why the scheduler failed; "": it did not
};

/// Time to sleep after a step: `shortest` while there is work, then twice as long each time, up to `longest`;
/// or longer, so that the CPU time is at most `share` of the time since the start. A sleep above `longest` is
/// sampling; if it had to be above kLongestSample, the service stops.
///
///   ServicePace pace(250us, 10ms, 0.01);
///   while (const auto sleep = pace.after(service.step(), cpu_time(), time_since_start())) wait_for(*sleep);
class ServicePace {
 public:
  using Duration = std::chrono::nanoseconds;
  /// Grants that are a second old say nothing about the messages that a rank sends now.
  static constexpr Duration kLongestSample = std::chrono::seconds(1);

  /// `share`: 0 for no limit.
  ServicePace(Duration shortest, Duration longest, double share = 0)
      : shortest_(shortest), longest_(longest), share_(share), current_(shortest) {}
  /// `cpu`: CPU time of the service since the start; `elapsed`: time since the start. Returns the time to
  /// sleep, or nullopt if the service must stop.
  std::optional<Duration> after(bool busy, Duration cpu, Duration elapsed);
  const ServiceStepBack& step_back() const { return step_back_; }

 private:
  Duration shortest_, longest_;
  double share_;
  Duration current_;
  ServiceStepBack step_back_;
};

class ServiceThread {
 public:
  struct Options {
    std::string cpus;    // CPUs that the thread may use, in hwloc's list form; "": any
    bool spare = false;  // no rank runs on those CPUs
    /// CPU time of the calling thread; empty: that of the system.
    std::function<ServicePace::Duration()> cpu_time;
  };
  /// Starts the thread. Throws std::system_error if that is not possible, UserError for a bad list of CPUs.
  ServiceThread(std::unique_ptr<LiveService> service, const Options& options);
  ~ServiceThread();  // calls stop()
  ServiceThread(const ServiceThread&) = delete;
  ServiceThread& operator=(const ServiceThread&) = delete;

  /// Ends the service: runs a last step in the calling thread, so that all earlier commands are executed,
  /// unless the service has stopped by itself or its scheduler failed, and destroys it. Waits for a step that
  /// is running, but not for the end of the thread, which may take long at the lowest priority.
  void stop();
  /// Precondition: stop() was called.
  const ServiceStepBack& step_back() const { return step_back_; }
  /// The CPUs and priority of the thread, for people; known from the start.
  const std::string& note() const { return note_; }

 private:
  /// What the thread uses. It outlives this object until the thread has ended.
  struct State {
    std::mutex mutex;  // guards all
    std::condition_variable wake;
    std::unique_ptr<LiveService> service;
    bool stopping = false;
    ServiceStepBack step_back;
    std::string failure;  // of the scheduler; "": none
  };
  static void run(State& state, const Options& options);
  static bool step(State& state);

  std::shared_ptr<State> state_ = std::make_shared<State>();  // null after stop()
  std::string note_;
  ServiceStepBack step_back_;
};

}  // namespace hybrid
