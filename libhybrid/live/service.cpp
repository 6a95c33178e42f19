#include "libhybrid/live/service.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hybrid {

namespace {
constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
}  // namespace

AskCollector::AskCollector(LiveRegion& region, const LiveClock& clock)
    : region_(region),
      clock_(clock),
      timeline_{region.origin_ticks, clock.ticks_per_second},
      finished_(region.ranks, false) {}

void AskCollector::collect(std::vector<TimedAsk>& asks, std::size_t limit) {
  const std::uint32_t ranks = region_.ranks;
  const std::uint64_t capacity = region_.ring_capacity;
  for (std::uint32_t i = 0; i < ranks && limit > 0; ++i) {
    const std::uint32_t local = (first_ + i) % ranks;
    LiveRank& rank = region_.rank(local);
    // Read before the queue: a finished rank's queue is then known to be whole.
    const bool finished = rank.finished.load(std::memory_order_acquire) != 0;
    const std::uint64_t tail = rank.tail.load(std::memory_order_acquire);
    std::uint64_t head = rank.head.load(std::memory_order_relaxed);
    if (tail - head > capacity) {  // damaged: nothing in there can be trusted
      head = tail;
      rank.head.store(head, std::memory_order_release);
    }
    if (head != tail) {
      const Time now = this->now();
      const LiveAsk* ring = region_.asks(local);
      for (; head != tail && limit > 0; ++head, --limit) {
        const LiveAsk& ask = ring[head & (capacity - 1)];
        const Time at = ask.ticks == 0 ? now : std::min(now, timeline_.at(ask.ticks));
        asks.push_back({at, rank.world_rank, ask.kind, ask.destination});
      }
      rank.head.store(head, std::memory_order_release);
    }
    if (finished && head == tail && limit > 0 && !finished_[local]) {
      finished_[local] = true;
      asks.push_back({now(), rank.world_rank, AskKind::flush, kNoPort});
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
  asks_.clear();
  rows_.clear();
  collector_.collect(asks_, ~std::size_t{0});
  if (inbox_ != nullptr)
    for (; const auto* message = inbox_->front(); inbox_->pop()) decode(message->content(), asks_, rows_);
  // Each queue is in order; the scheduler sees them laid over each other, equal times as they came in.
  order_.resize(asks_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
    return std::pair(asks_[a].at, a) < std::pair(asks_[b].at, b);
  });
  const Time now = collector_.now();
  for (const std::size_t i : order_)
    arbiter_.ask(std::min(asks_[i].at, now), asks_[i].rank, asks_[i].kind, asks_[i].destination);
  const auto grants = arbiter_.advance(now);
  for (const Grant& grant : grants) apply(grant);
  bool waiting = false;
  for (std::size_t h = 1; h < peers_.size(); ++h) waiting |= tell(peers_[h]);
  return waiting || !asks_.empty() || !grants.empty() || arbiter_.next_change() != Time::never();
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

bool OwningService::tell(Peer& peer) {
  std::size_t told = 0;
  while (told < peer.queue.size()) {
    MessageRing::Message* message = peer.outbox->claim();
    if (message == nullptr) break;  // what is dirty stays so, and goes later as it is then
    rows_.clear();
    for (; told < peer.queue.size() && rows_.size() < kEntriesPerMessage; ++told) {
      const auto [port, word] = peer.queue[told];
      peer.dirty.reset(port, word);
      rows_.push_back({established_.row(port)[word], grants_[port], port, word});
    }
    message->length = encode(rows_, message->bytes);
    peer.outbox->publish();
  }
  peer.queue.erase(peer.queue.begin(), peer.queue.begin() + static_cast<std::ptrdiff_t>(told));
  return !peer.queue.empty();
}

ForwardingService::ForwardingService(LiveRegion& region, const LiveClock& clock, MessageRing& inbox,
                                     MessageRing& outbox)
    : region_(region), collector_(region, clock), inbox_(inbox), outbox_(outbox) {}

bool ForwardingService::step() {
  bool busy = false;
  // No more is taken than can be sent on; the rest waits in the ranks' queues, which count what they drop.
  for (std::size_t room = outbox_.room(); room > 0; --room) {
    asks_.clear();
    collector_.collect(asks_, kEntriesPerMessage);
    if (asks_.empty()) break;
    MessageRing::Message* message = outbox_.claim();
    message->length = encode(asks_, message->bytes);
    outbox_.publish();
    busy = true;
  }
  rows_.clear();
  asks_.clear();
  for (; const auto* message = inbox_.front(); inbox_.pop()) decode(message->content(), asks_, rows_);
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
