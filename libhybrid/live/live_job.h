// The live scheduler of a running job, as one rank sees it. The shim needs no other header of this folder.
//
//   start      once per rank, collective over the job: sets up shared memory, the host's service and the
//              scheduler port
//   client     the interface for the hot path
//   progress   carries messages between hosts; cheap, called inside MPI calls
//   stop       once per rank: ends the service and returns the counters
//
// On each host the first local rank runs the service, a helper thread. The service of host 0 owns the
// scheduler port. Model time is the elapsed real time of the job on the given clock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/scheduler_port.h"
#include "emulator/parameters.h"
#include "libhybrid/live/client.h"
#include "libhybrid/live/host_messages.h"
#include "libhybrid/live/region.h"
#include "libhybrid/live/service_thread.h"

namespace hybrid {

/// The collective operations that LiveJob::start needs; the shim implements them with MPI. No call throws.
class LiveExchange {
 public:
  virtual ~LiveExchange() = default;
  /// Collective over the ranks of this host: every rank gets the bytes of the rank with local index 0.
  virtual void broadcast_on_host(std::span<std::byte> data) = 0;
  /// Collective over all ranks of the job: true if `mine` is true on all of them.
  virtual bool all_in_job(bool mine) = 0;
};

struct LiveConfig {
  std::uint32_t host = 0;                   // of this rank: 0 .. hosts-1; its ranks share memory
  std::vector<std::uint32_t> host_of_rank;  // by world rank; local indices follow this order
  std::vector<Port> port_of_rank;           // by world rank
  std::uint32_t world_rank = 0;             // this rank
  SwitchParameters network;                 // `nodes` is replaced by the number of ports in use (at least 2)
  LiveClock clock;
  /// The CPUs that the thread of the service may use, in hwloc's list form ("6-7"); "": unrestricted. See
  /// choose_service_cpus (libhybrid/placement/placement.h).
  std::string service_cpus;
  /// True if no rank runs on those CPUs. If not, the thread runs rarely and at the lowest priority.
  bool service_cpus_spare = false;
  /// Used on the first rank of each host if there are several hosts; must outlive the job. Otherwise null.
  HostLink* link = nullptr;
  /// Makes the scheduler port on host 0. If empty, the embedded model is used
  /// (emulator/scheduler/model_port.h).
  std::function<std::unique_ptr<SchedulerPort>(const SwitchParameters&)> make_port;
};

class LiveJob {
 public:
  /// Collective over the job. Returns null on all ranks if one of them cannot take part; `note` is then the
  /// reason in one line (of this rank, or that another rank failed). Otherwise `note` states where the
  /// service runs (on the first rank of a host; "" on the others). Does not throw.
  static std::unique_ptr<LiveJob> start(const LiveConfig& config, LiveExchange& exchange, std::string& note);
  ~LiveJob();  // calls stop() if the job still runs
  LiveJob(const LiveJob&) = delete;
  LiveJob& operator=(const LiveJob&) = delete;

  LiveClient client() const { return client_; }

  /// True if progress() carries messages: on the first rank of each host, if there are several hosts.
  bool carries() const { return carrier_ != nullptr; }
  /// Sends waiting messages over the link and receives those that arrived. For any thread that may call MPI;
  /// returns at once if another thread is inside.
  void progress() {
    if (carrier_ != nullptr) carry();
  }

  /// Preloads a hinted working set of this rank. `destinations`: ports, the most important first. They go
  /// into preloaded slots while these have room (SwitchParameters::preload); the others are requested. They
  /// stay until the client's flush().
  void preload(std::span<const Port> destinations);

  /// Ends the part of this rank. On the first rank of a host, executes all commands so far, sends the
  /// remaining messages over the link and ends the service; the link is not used afterwards. Other ranks may
  /// still run: their later commands have no effect, and copies of their clients stay usable while the job
  /// object exists. Returns the counters of this rank; the sum over all ranks is that of the job. The grants
  /// of a port, as far as the service has reported them, are counted at the port's first rank on this host.
  /// Later calls, and calls in a forked child, return zeros.
  LiveCounters stop();
  /// How the service of this rank stepped back; null before stop() and on ranks without a service.
  const ServiceStepBack* step_back() const { return step_back_ ? &*step_back_ : nullptr; }

 private:
  struct Carrier;
  struct Service;
  LiveJob();
  std::unique_ptr<Service> make_service(const LiveConfig& config);
  void carry();

  LiveMapping mapping_;
  LiveClient client_;
  LiveRank* rank_ = nullptr;
  int owner_ = 0;  // process id; a forked child does not take part in the job
  std::uint32_t local_ = 0;
  std::unique_ptr<Service> service_;  // first rank of a host
  Carrier* carrier_ = nullptr;        // part of service_; null if there is one host
  std::optional<ServiceStepBack> step_back_;
};

}  // namespace hybrid
