#include "libhybrid/live/service.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hybrid {

namespace {
constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
}  // namespace

CommandCollector::CommandCollector(LiveRegion& region, const LiveClock& clock)
    : region_(region),
      clock_(clock),
      timeline_{region.origin_ticks, clock.ticks_per_second},
      finished_(region.ranks, false) {}

void CommandCollector::collect(std::vector<TimedCommand>& commands, std::size_t limit) {
  const std::uint32_t ranks = region_.ranks;
  const std::uint64_t capacity = region_.ring_capacity;
  for (std::uint32_t i = 0; i < ranks && limit > 0; ++i) {
    const std::uint32_t local = (first_ + i) % ranks;
    LiveRank& rank = region_.rank(local);
    // Read before the queue, so that the queue of a finished rank is known to be complete.
    const bool finished = rank.finished.load(std::memory_order_acquire) != 0;
    const std::uint64_t tail = rank.tail.load(std::memory_order_acquire);
    std::uint64_t head = rank.head.load(std::memory_order_relaxed);
    if (tail - head > capacity) {  // damaged: skip all of the queue
      head = tail;
      rank.head.store(head, std::memory_order_release);
    }
    if (head != tail) {
      const Time now = this->now();
      const LiveCommand* ring = region_.commands(local);
      for (; head != tail && limit > 0; ++head, --limit) {
        const LiveCommand& command = ring[head & (capacity - 1)];
        const Time at = command.ticks == 0 ? now : std::min(now, timeline_.at(command.ticks));
        commands.push_back({at, rank.world_rank, command.kind, command.destination});
      }
      rank.head.store(head, std::memory_order_release);
    }
    if (finished && head == tail && limit > 0 && !finished_[local]) {
      finished_[local] = true;
      commands.push_back({now(), rank.world_rank, CommandKind::flush, kNoPort});
      --limit;
    }
  }
  first_ = ranks == 0 ? 0 : (first_ + 1) % ranks;
}

OwningService::OwningService(LiveRegion& region, const LiveClock& clock, LiveArbiter arbiter,
                             std::span<const std::uint32_t> host_of_rank, std::span<const Port> port_of_rank,
                             MessageRing* inbox, std::span<const std::unique_ptr<MessageRing>> outboxes)
    : region_(region),
      collector_(region, clock),
      arbiter_(std::move(arbiter)),
      inbox_(inbox),
      row_of_port_(region.ports, kNoRow),
      peers_of_port_(region.ports),
      peers_(outboxes.size()),
      grants_(region.ports) {
  for (std::uint32_t row = 0; row < region.rows; ++row) row_of_port_[region.row_ports()[row]] = row;
  if (outboxes.empty()) return;
  established_ = BitMatrix(region.ports, region.ports);
  for (std::size_t h = 1; h < outboxes.size(); ++h)
    peers_[h] = {outboxes[h].get(), BitMatrix(region.ports, region.row_words), {}};
  for (std::size_t rank = 0; rank < port_of_rank.size(); ++rank) {
    auto& peers = peers_of_port_[port_of_rank[rank]];
    const std::uint32_t host = host_of_rank[rank];
    if (host != 0 && std::find(peers.begin(), peers.end(), host) == peers.end()) peers.push_back(host);
  }
}

bool OwningService::step() {
  commands_.clear();
  rows_.clear();
  collector_.collect(commands_, ~std::size_t{0});
  if (inbox_ != nullptr)
    for (; const auto* message = inbox_->front(); inbox_->pop()) decode(message->content(), commands_, rows_);
  // Each queue is in order. The scheduler gets all of them sorted by time, equal times in order of arrival.
  order_.resize(commands_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
    return std::pair(commands_[a].at, a) < std::pair(commands_[b].at, b);
  });
  const Time now = collector_.now();
  for (const std::size_t i : order_)
    arbiter_.execute(std::min(commands_[i].at, now), commands_[i].rank, commands_[i].kind,
                     commands_[i].destination);
  const auto grants = arbiter_.advance(now);
  for (const Grant& grant : grants) apply(grant);
  bool waiting = false;
  for (std::size_t h = 1; h < peers_.size(); ++h) waiting |= send_rows(peers_[h]);
  return waiting || !commands_.empty() || !grants.empty() || arbiter_.next_change() != Time::never();
}

void OwningService::apply(const Grant& grant) {
  const auto [source, destination] = grant.connection;
  const bool up = grant.kind == Grant::Kind::established;
  const std::size_t word = destination / kWordBits;
  if (up) ++grants_[source];
  if (const std::uint32_t row = row_of_port_[source]; row != kNoRow) {
    std::atomic<Word>& bits = region_.row(row)[word];
    const Word before = bits.load(std::memory_order_relaxed);
    bits.store(up ? before | bit_of(destination) : before & ~bit_of(destination), std::memory_order_relaxed);
    region_.grants(row).store(grants_[source], std::memory_order_relaxed);
  }
  const auto& peers = peers_of_port_[source];
  if (peers.empty()) return;
  if (up)
    established_.set(source, destination);
  else
    established_.reset(source, destination);
  for (const std::uint32_t host : peers) {
    Peer& peer = peers_[host];
    if (peer.dirty.test(source, word)) continue;
    peer.dirty.set(source, word);
    peer.queue.emplace_back(source, static_cast<std::uint32_t>(word));
  }
}

bool OwningService::send_rows(Peer& peer) {
  std::size_t sent = 0;
  while (sent < peer.queue.size()) {
    MessageRing::Message* message = peer.outbox->claim();
    if (message == nullptr) break;  // the other rows stay dirty and are sent later, in their later state
    rows_.clear();
    for (; sent < peer.queue.size() && rows_.size() < kEntriesPerMessage; ++sent) {
      const auto [port, word] = peer.queue[sent];
      peer.dirty.reset(port, word);
      rows_.push_back({established_.row(port)[word], grants_[port], port, word});
    }
    message->length = encode(rows_, message->bytes);
    peer.outbox->publish();
  }
  peer.queue.erase(peer.queue.begin(), peer.queue.begin() + static_cast<std::ptrdiff_t>(sent));
  return !peer.queue.empty();
}

ForwardingService::ForwardingService(LiveRegion& region, const LiveClock& clock, MessageRing& inbox,
                                     MessageRing& outbox)
    : region_(region), collector_(region, clock), inbox_(inbox), outbox_(outbox) {}

bool ForwardingService::step() {
  bool busy = false;
  // Reads no more commands than can be forwarded. The others wait in the queues of the ranks, which count the
  // commands that they drop.
  for (std::size_t room = outbox_.room(); room > 0; --room) {
    commands_.clear();
    collector_.collect(commands_, kEntriesPerMessage);
    if (commands_.empty()) break;
    MessageRing::Message* message = outbox_.claim();
    message->length = encode(commands_, message->bytes);
    outbox_.publish();
    busy = true;
  }
  rows_.clear();
  commands_.clear();
  for (; const auto* message = inbox_.front(); inbox_.pop()) decode(message->content(), commands_, rows_);
  const auto ports = region_.row_ports();
  for (const RowUpdate& update : rows_) {
    const auto port = std::lower_bound(ports.begin(), ports.end(), update.port);
    if (port == ports.end() || *port != update.port || update.word >= region_.row_words) continue;
    const auto row = static_cast<std::uint32_t>(port - ports.begin());
    region_.row(row)[update.word].store(update.bits, std::memory_order_relaxed);
    region_.grants(row).store(update.grants, std::memory_order_relaxed);
  }
  return busy || !rows_.empty();
}

}  // namespace hybrid
