// Messages of a job at their recorded times, without a network.
#include <queue>
#include <unordered_map>
#include <vector>

#include "emulator/replay/collective.h"
#include "emulator/replay/communicators.h"
#include "emulator/replay/job_driver.h"
#include "emulator/replay/replay.h"

namespace hybrid {
namespace {

using Kind = Operation::Kind;
using Purpose = SentMessage::Purpose;

class Visitor {
 public:
  Visitor(JobTrace& trace, const ReplayOptions& options, const std::function<void(const SentMessage&)>& visit)
      : trace_(trace),
        visit_(visit),
        placement_(placement_of(trace, options)),
        algorithms_(options.algorithms),
        hardware_multicast_(options.hardware_multicast),
        communicators_(trace),
        operations_(trace.locations().size()),
        phases_(trace.locations().size()),
        begun_(trace.locations().size()) {}

  void run() {
    for (std::uint32_t l = 0; l < operations_.size(); ++l) fetch(l);
    while (!next_.empty()) {
      const std::uint32_t location = next_.top().location;
      next_.pop();
      perform(location);
      fetch(location);
    }
  }

 private:
  struct Next {
    Time at;
    std::uint32_t location;
    bool operator>(const Next& other) const {
      return at != other.at ? at > other.at : location > other.location;
    }
  };

  void fetch(std::uint32_t location) {
    if (trace_.next(location, operations_[location])) next_.push({operations_[location].at, location});
  }

  void visit(std::uint32_t location, std::uint32_t from, std::uint32_t to, Bytes bytes, std::uint64_t site,
             Purpose purpose, CollectiveOp op = CollectiveOp::barrier) {
    if (placement_[from] == placement_[to]) return;
    SentMessage message;
    message.at = operations_[location].at;
    message.source_rank = from;
    message.destination_rank = to;
    message.source = placement_[from];
    message.destination = placement_[to];
    message.bytes = bytes;
    message.site = site;
    message.call = operations_[location].call;
    message.call_site = operations_[location].call_site;
    message.purpose = purpose;
    message.collective = op;
    if (!phases_[location].empty()) {
      message.phase = phases_[location].back().region;
      message.phase_occurrence = phases_[location].back().occurrence;
    }
    visit_(message);
  }

  void collective(std::uint32_t location, std::uint32_t rank, const Operation& op) {
    const Communicators::View& view = communicators_.view(op.communicator, rank);
    if (view.size == 1 && view.remote_size == 0) return;
    const CollectiveCall call = communicators_.call(op, rank, view);
    if (hardware_multicast_ && call.by_fabric()) return;  // it has separate links
    const CollectiveAlgorithm& algorithm = algorithms_.pick(call);
    const std::uint32_t rounds = algorithm.rounds(call);
    for (std::uint32_t i = 0; i < rounds; ++i) {
      round_.clear();
      algorithm.round(call, i, round_);
      for (const Transfer& t : round_.sends)
        visit(location, rank, Communicators::world_rank(call, view, t.peer), t.bytes,
              prediction_context(call.op), Purpose::collective, call.op);
    }
  }

  void perform(std::uint32_t location) {
    Operation& op = operations_[location];
    const std::uint32_t rank = trace_.locations()[location].rank;
    switch (op.kind) {
      case Kind::send:
      case Kind::send_start:
        return visit(location, rank, op.peer, op.bytes, prediction_context(op), Purpose::point_to_point);
      case Kind::put:
      case Kind::accumulate:
        return visit(location, rank, op.peer, op.bytes, prediction_context(op), Purpose::one_sided);
      case Kind::get:
        visit(location, rank, op.peer, 0, prediction_context(op), Purpose::one_sided);
        return visit(location, op.peer, rank, op.bytes, kNoPredictionContext, Purpose::one_sided);
      case Kind::rma_sync:
        if (op.sync == RmaSync::post || op.sync == RmaSync::complete)
          for (const std::uint32_t member : op.group)
            visit(location, rank, member, 0, prediction_context(op), Purpose::one_sided);
        if (op.sync != RmaSync::fence) return;
        op.collective = CollectiveOp::barrier;
        op.bytes = 0;
        return collective(location, rank, op);
      case Kind::collective:
      case Kind::collective_start:
        return collective(location, rank, op);
      case Kind::phase_begin:
        phases_[location].push_back({op.region, ++begun_[location][op.region]});
        return;
      case Kind::phase_end:
        if (!phases_[location].empty()) phases_[location].pop_back();
        return;
      default:
        return;
    }
  }

  JobTrace& trace_;
  const std::function<void(const SentMessage&)>& visit_;
  const std::vector<std::uint32_t> placement_;
  CollectiveAlgorithms algorithms_;
  const bool hardware_multicast_;
  Communicators communicators_;
  std::vector<Operation> operations_;
  struct InPhase {
    std::uint32_t region, occurrence;
  };
  std::vector<std::vector<InPhase>> phases_;                             // innermost last
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> begun_;  // occurrences by region
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next_;
  Round round_;
};

}  // namespace

void for_each_sent(JobTrace& trace, const ReplayOptions& options,
                   const std::function<void(const SentMessage&)>& visit) {
  Visitor(trace, options, visit).run();
}

}  // namespace hybrid
