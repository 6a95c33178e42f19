// The live scheduler of a running job, as one rank sees it: the only header of this folder that the shim
// needs.
//
//   start      once per rank, collective over the job: shared memory, the host's service, the scheduler port
//   client     what the hot path talks to
//   progress   carries messages between hosts; cheap, called inside MPI calls
//   stop       once per rank; the counters
//
// On each host the first local rank runs the service, a helper thread; host 0's owns the scheduler port.
// Model time is the job's elapsed real time on the clock given.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/connection.h"
#include "core/scheduler_port.h"
#include "emulator/parameters.h"
#include "libhybrid/live/client.h"
#include "libhybrid/live/host_link.h"
#include "libhybrid/live/region.h"
#include "libhybrid/live/timeline.h"

namespace hybrid {

/// What start needs to do together with the other ranks; the shim does it with MPI. No call throws.
class LiveExchange {
 public:
  virtual ~LiveExchange() = default;
  /// Collective over this host's ranks: every rank gets the bytes of local index 0.
  virtual void broadcast_on_host(std::span<std::byte> data) = 0;
  /// Collective over all ranks of the job: whether all say true.
  virtual bool all_in_job(bool mine) = 0;
};

struct LiveConfig {
  std::uint32_t host = 0;                   // of this rank: 0 .. hosts-1; its ranks share memory
  std::vector<std::uint32_t> host_of_rank;  // by world rank; the order on a host gives the local index
  std::vector<Port> port_of_rank;           // by world rank
  std::uint32_t world_rank = 0;             // this rank
  SwitchParameters network;                 // `nodes` is replaced by the number of ports in use (at least 2)
  LiveClock clock;
  /// Where the service's thread may run, in hwloc's list form ("6-7"); "": unrestricted. See
  /// choose_service_cpus (libhybrid/placement/service_cpus.h).
  std::string service_cpus;
  /// Whether those CPUs are free of ranks. If not, the thread runs rarely and at the lowest priority.
  bool service_cpus_spare = false;
  /// Used on the first rank of each host when there are several hosts; outlives the job. Null otherwise.
  HostLink* link = nullptr;
  /// Makes the scheduler port on host 0; empty: the embedded model (emulator/scheduler/model_port.h).
  std::function<std::unique_ptr<SchedulerPort>(const SwitchParameters&)> make_port;
};

class LiveJob {
 public:
  /// Collective over the job. Null where it cannot run, on every rank alike; `note` then says why in a line
  /// (this rank's reason, or that another rank had one). Otherwise `note` says where the service runs (first
  /// rank of a host; "" elsewhere). Does not throw.
  static std::unique_ptr<LiveJob> start(const LiveConfig& config, LiveExchange& exchange, std::string& note);
  ~LiveJob();  // stops, if still running
  LiveJob(const LiveJob&) = delete;
  LiveJob& operator=(const LiveJob&) = delete;

  LiveClient client() const { return client_; }

  /// Whether progress() has anything to do on this rank: first of its host, and several hosts.
  bool carries() const { return carrier_ != nullptr; }
  /// Hands waiting messages to the link and takes those that arrived. Any thread that may call MPI; when
  /// another is inside, returns at once.
  void progress() {
    if (carrier_ != nullptr) carry();
  }

  /// A hint's working set of this rank: its destinations (ports), most wanted first. They go into preloaded
  /// slots as far as these have room (SwitchParameters::preload), the rest is requested. Stays until the
  /// client's flush.
  void preload(std::span<const Port> destinations, std::uint64_t ticks = 0);

  /// The rank asks nothing more. On the first rank of a host, serves what was asked until now, hands what is
  /// left to the link, and ends the service; the link is not used afterwards. Others need not have stopped:
  /// what they ask later goes nowhere, and copies of their clients stay usable as long as the job object
  /// lives. Returns this rank's counters; the sum over all ranks is the job's (a port's grants, as far as the
  /// service has told them, are counted at the port's first rank of this host). Later calls, and those of a
  /// forked child, return zeros.
  LiveCounters stop();

 private:
  struct Carrier;
  struct Service;
  LiveJob();
  std::unique_ptr<Service> make_service(const LiveConfig& config);
  void carry();

  LiveMapping mapping_;
  LiveClient client_;
  LiveRank* rank_ = nullptr;
  int owner_ = 0;  // process id: a forked child has no part in the job
  std::uint32_t local_ = 0;
  std::unique_ptr<Service> service_;  // first rank of a host
  Carrier* carrier_ = nullptr;        // in service_; only with several hosts
};

}  // namespace hybrid
