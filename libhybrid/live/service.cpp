#include "libhybrid/live/service.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace hybrid {

namespace {
constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
}  // namespace

CommandCollector::CommandCollector(LiveRegion& region, const LiveClock& clock)
    : region_(region),
      clock_(clock),
      timeline_{region.origin_ticks, clock.ticks_per_second},
      seen_(region.ranks),
      requested_(region.ranks, region.ports) {}

void CommandCollector::collect(std::vector<TimedCommand>& commands, std::size_t limit) {
  const std::uint32_t ranks = region_.ranks;
  const Time now = this->now();
  for (std::uint32_t i = 0; i < ranks && limit > 0; ++i) {
    const std::uint32_t local = (first_ + i) % ranks;
    LiveRank& rank = region_.rank(local);
    Seen& seen = seen_[local];
    // Read before the changes, so that the changes of a finished rank are known to be complete.
    const bool finished = rank.finished.load(std::memory_order_acquire) != 0;
    const std::uint64_t changes = rank.changes.load(std::memory_order_acquire);
    if (changes != seen.changes) {
      if (!collect_changes(local, now, commands, limit)) break;
      seen.changes = changes;
    }
    if (finished && limit > 0 && !seen.finished) {
      seen.finished = true;
      commands.push_back({now, rank.world_rank, CommandKind::flush, kNoPort});
      --limit;
    }
  }
  first_ = ranks == 0 ? 0 : (first_ + 1) % ranks;
}

// The rank may change its rows and its list meanwhile. It counts a change last, so that the next call reads
// the remainder; a flush that is counted meanwhile removes then what is appended here.
bool CommandCollector::collect_changes(std::uint32_t local, Time now, std::vector<TimedCommand>& commands,
                                       std::size_t& limit) {
  const LiveRank& rank = region_.rank(local);
  Seen& seen = seen_[local];
  const auto append = [&](CommandKind kind, Port destination) {
    if (limit == 0) return false;
    commands.push_back({now, rank.world_rank, kind, destination});
    --limit;
    return true;
  };
  const std::span<Word> requested = requested_.row(local);
  if (const auto flushes = rank.flushes.load(std::memory_order_acquire); flushes != seen.flushes) {
    if (!append(CommandKind::flush, kNoPort)) return false;
    seen.flushes = flushes;
    seen.preloads = 0;
    std::fill(requested.begin(), requested.end(), 0);
  }
  const std::uint32_t preloads = std::min(rank.preload_length.load(std::memory_order_acquire), region_.ports);
  for (; seen.preloads < preloads; ++seen.preloads)
    if (!append(CommandKind::preload, region_.preloads(local)[seen.preloads].load(std::memory_order_relaxed)))
      return false;
  for (std::size_t w = 0; w < requested.size(); ++w) {
    const Word wanted = region_.requested(local)[w].load(std::memory_order_relaxed);
    for (Word rest = wanted ^ requested[w]; rest != 0; rest &= rest - 1) {
      const Port destination = lowest_port(w, rest);
      const bool wants = (wanted & bit_of(destination)) != 0;
      if (!append(wants ? CommandKind::request : CommandKind::release, destination)) return false;
      requested[w] ^= bit_of(destination);
    }
  }
  return true;
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
  // The scheduler gets the commands sorted by time, equal times by rank, so that the distribution of the
  // ranks over hosts makes no difference.
  order_.resize(commands_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
    return std::tuple(commands_[a].at, commands_[a].rank, a) <
           std::tuple(commands_[b].at, commands_[b].rank, b);
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
  if (peers_of_port_[source].empty()) return;
  if (up)
    established_.set(source, destination);
  else
    established_.reset(source, destination);
  mark_dirty(source, word);
}

void OwningService::mark_dirty(Port source, std::size_t word) {
  for (const std::uint32_t host : peers_of_port_[source]) {
    Peer& peer = peers_[host];
    if (peer.dirty.test(source, word)) continue;
    peer.dirty.set(source, word);
    peer.queue.emplace_back(source, static_cast<std::uint32_t>(word));
  }
}

void OwningService::clear_rows() {
  region_.clear_rows();
  established_.clear();
  for (Port port = 0; port < peers_of_port_.size(); ++port)
    for (std::size_t word = 0; word < region_.row_words; ++word) mark_dirty(port, word);
  for (std::size_t h = 1; h < peers_.size(); ++h) send_rows(peers_[h]);
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
  // Reads no more commands than can be forwarded. The others wait, and combine with later ones.
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
