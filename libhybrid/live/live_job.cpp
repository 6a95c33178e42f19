#include "libhybrid/live/live_job.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "emulator/scheduler/model_port.h"
#include "libhybrid/live/arbiter.h"
#include "libhybrid/live/host_messages.h"
#include "libhybrid/live/service.h"
#include "libhybrid/live/service_thread.h"

namespace hybrid {

namespace {

constexpr std::size_t kNameBytes = 64;
constexpr std::size_t kInboxMessages = 64;
constexpr std::size_t kOutboxMessages =
    4;  // per host; rows that do not fit are sent later, in their later state

std::uint32_t ports_of(const LiveConfig& config) {
  Port highest = 1;
  for (const Port port : config.port_of_rank) highest = std::max(highest, port);
  return highest + 1;
}

std::uint32_t hosts_of(const LiveConfig& config) {
  return 1 + *std::max_element(config.host_of_rank.begin(), config.host_of_rank.end());
}

void check(const LiveConfig& config) {
  if (config.port_of_rank.size() != config.host_of_rank.size() ||
      config.world_rank >= config.host_of_rank.size() ||
      config.host_of_rank[config.world_rank] != config.host || !config.clock.ticks ||
      config.clock.ticks_per_second == 0)
    throw std::logic_error("live job: ranks, ports, hosts and clock do not agree");
}

}  // namespace

/// Carries messages between the queues of this host's service and the link. Hosts other than 0 have one
/// outbox, to host 0.
struct LiveJob::Carrier {
  HostLink* link = nullptr;
  LiveClock clock;
  MessageRing inbox{kInboxMessages};
  std::vector<std::unique_ptr<MessageRing>> outboxes;  // by destination host; null for this host
  std::atomic_flag inside;
  std::atomic<std::uint64_t> next_receive{0};  // ticks

  void carry(bool receive) {
    for (std::size_t host = 0; host < outboxes.size(); ++host) {
      if (outboxes[host] == nullptr) continue;
      while (const auto* message = outboxes[host]->front()) {
        if (!link->send(static_cast<std::uint32_t>(host), message->content())) break;
        outboxes[host]->pop();
      }
    }
    if (!receive) return;
    while (auto* message = inbox.claim()) {
      message->length = link->receive(message->bytes);
      if (message->length == 0) break;
      inbox.publish();
    }
  }
};

/// The service that the first rank of a host runs. The thread is destroyed before the queues that it uses.
struct LiveJob::Service {
  std::unique_ptr<Carrier> carrier;  // several hosts
  std::unique_ptr<ServiceThread> thread;
};

LiveJob::LiveJob() = default;
LiveJob::~LiveJob() {
  if (service_ != nullptr && getpid() != owner_) {
    // A forked child has copies of the parent's objects but not its thread: joining the thread, or destroying
    // the condition variable that it waits on, would never return.
    static_cast<void>(service_.release());
    return;
  }
  stop();
}

std::unique_ptr<LiveJob> LiveJob::start(const LiveConfig& config, LiveExchange& exchange, std::string& note) {
  note.clear();
  std::unique_ptr<LiveJob> job(new LiveJob);
  std::vector<std::uint32_t> local_ranks;
  for (std::uint32_t rank = 0; rank < config.host_of_rank.size(); ++rank)
    if (config.host_of_rank[rank] == config.host) local_ranks.push_back(rank);
  const bool first = !local_ranks.empty() && local_ranks.front() == config.world_rank;

  // Every rank takes part in every collective call, even after an error; `note` keeps the first error.
  const auto attempt = [&note](auto&& action) {
    if (!note.empty()) return;
    try {
      action();
    } catch (const std::exception& error) {
      note = error.what();
    }
  };
  std::array<char, kNameBytes> name{};
  attempt([&] {
    check(config);
    if (!first) return;
    job->mapping_ =
        LiveMapping::create({local_ranks, config.port_of_rank, ports_of(config), config.clock.ticks()});
    job->mapping_.name().copy(name.data(), name.size() - 1);
  });
  attempt([&] {
    if (first) job->service_ = job->make_service(config);
  });
  exchange.broadcast_on_host(std::as_writable_bytes(std::span(name)));
  attempt([&] {
    if (first) return;
    if (name.front() == '\0') throw RunError("the first rank of this host has no live scheduler");
    job->mapping_ = LiveMapping::open(name.data());
  });
  const bool all_started = exchange.all_in_job(note.empty());
  job->mapping_.unlink();
  if (!all_started) {
    if (note.empty()) note = "another rank could not take part in the live scheduler";
    job->service_.reset();
    return nullptr;
  }
  job->local_ = static_cast<std::uint32_t>(
      std::find(local_ranks.begin(), local_ranks.end(), config.world_rank) - local_ranks.begin());
  LiveRegion* region = job->mapping_.region();
  job->client_ = LiveClient(region, job->local_);
  job->rank_ = &region->rank(job->local_);
  job->owner_ = getpid();
  if (job->service_ != nullptr) {
    note = job->service_->thread->note();
    job->carrier_ = job->service_->carrier.get();
  }
  return job;
}

std::unique_ptr<LiveJob::Service> LiveJob::make_service(const LiveConfig& config) {
  auto service = std::make_unique<Service>();
  LiveRegion& region = *mapping_.region();
  const std::uint32_t hosts = hosts_of(config);
  if (hosts > 1) {
    if (config.link == nullptr) throw std::logic_error("live job: several hosts and no link between them");
    service->carrier = std::make_unique<Carrier>();
    service->carrier->link = config.link;
    service->carrier->clock = config.clock;
    service->carrier->outboxes.resize(config.host == 0 ? hosts : 1);
    for (std::size_t h = config.host == 0 ? 1 : 0; h < service->carrier->outboxes.size(); ++h)
      service->carrier->outboxes[h] = std::make_unique<MessageRing>(kOutboxMessages);
  }
  std::unique_ptr<LiveService> loop;
  if (config.host == 0) {
    SwitchParameters network = config.network;
    network.nodes = region.ports;
    network.tree = {};  // the live scheduler is that of one crossbar
    auto port = config.make_port ? config.make_port(network) : make_scheduler_port(network);
    if (port == nullptr || port->shape().ports < region.ports)
      throw RunError("the scheduler has fewer ports than the job uses (" + std::to_string(region.ports) +
                     ")");
    LiveArbiter arbiter(std::move(port), config.port_of_rank, network.preload);
    Carrier* carrier = service->carrier.get();
    loop = std::make_unique<OwningService>(
        region, config.clock, std::move(arbiter), config.host_of_rank, config.port_of_rank,
        carrier == nullptr ? nullptr : &carrier->inbox,
        carrier == nullptr ? std::span<const std::unique_ptr<MessageRing>>() : carrier->outboxes);
  } else {
    loop = std::make_unique<ForwardingService>(region, config.clock, service->carrier->inbox,
                                               *service->carrier->outboxes[0]);
  }
  service->thread = std::make_unique<ServiceThread>(
      std::move(loop), ServiceThread::Options{config.service_cpus, config.service_cpus_spare, {}});
  return service;
}

void LiveJob::carry() {
  // Each check for arrivals is a call of MPI: 20 us between two checks are often enough.
  const std::uint64_t now = carrier_->clock.ticks();
  const bool receive = now >= carrier_->next_receive.load(std::memory_order_relaxed);
  if (carrier_->inside.test_and_set(std::memory_order_acquire)) return;
  if (receive)
    carrier_->next_receive.store(now + carrier_->clock.ticks_per_second / 50'000, std::memory_order_relaxed);
  carrier_->carry(receive);
  carrier_->inside.clear(std::memory_order_release);
}

void LiveJob::preload(std::span<const Port> destinations) {
  if (!client_.active()) return;
  for (const Port destination : destinations) client_.preload(destination);
}

LiveCounters LiveJob::stop() {
  LiveCounters counters;
  if (rank_ == nullptr || getpid() != owner_) return counters;
  rank_->finished.store(1, std::memory_order_release);
  if (service_ != nullptr) {
    service_->thread->stop();
    step_back_ = service_->thread->step_back();
    if (carrier_ != nullptr) carrier_->carry(false);
    carrier_ = nullptr;
    service_.reset();
  }

  const auto read = [](const std::atomic<std::uint64_t>& c) { return c.load(std::memory_order_relaxed); };
  counters.requests = read(rank_->requests);
  counters.releases = read(rank_->releases);
  counters.flushes = read(rank_->flushes);
  counters.preloads = read(rank_->preloads);
  counters.hits = read(rank_->hits);
  counters.misses = read(rank_->misses);
  LiveRegion& region = *mapping_.region();
  bool first_at_port = true;
  for (std::uint32_t other = 0; other < local_; ++other)
    first_at_port = first_at_port && region.rank(other).row != rank_->row;
  if (first_at_port) counters.grants = read(region.grants(rank_->row));
  // The memory stays mapped, because threads of the program may still hold copies of the client.
  client_ = {};
  rank_ = nullptr;
  return counters;
}

}  // namespace hybrid
