// Operations of a recorded job: one stream for each location (a thread of a rank), in program order, in any
// trace format. Compute time is the time outside communication calls.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/event.h"
#include "core/time.h"
#include "core/units.h"

namespace hybrid {

struct Operation {
  enum class Kind : std::uint8_t {
    send,              // blocking; mode
    send_start,        // request
    send_complete,     // request
    recv,              // blocking, with its recorded match: a wildcard has the peer and tag that it received
    recv_post,         // request; with its match if that is known in time: `matched`
    recv_complete,     // request, with the match
    cancelled,         // request
    collective,        // blocking
    collective_start,  // request
    collective_complete,  // request
    put,
    get,
    accumulate,  // one-sided, to `peer` in `window`
    rma_sync,    // on `window`: sync; `group`: of a post and wait the origins, of a start and complete the
                 // targets, world ranks
    phase_begin,
    phase_end,  // region
    flush,      // hint
    hint,       // the rank sends to `peer` in the innermost open phase, by the program's hints
    finish,     // the location's end (only `compute` counts)
  };
  Kind kind = Kind::finish;
  Time compute{};               // spent computing since the previous operation
  Time at{};                    // recorded begin, since the job's first event
  Time completed{};             // of a receive: when its call returned with the message
  std::uint32_t call = 0;       // region of the MPI function, if `call_site` is known
  std::uint32_t call_site = 0;  // of that call: JobTrace::call_sites()[call_site - 1]; 0: not known
  std::uint32_t peer = 0;       // world rank; a collective's root
  std::int32_t tag = 0;
  std::uint32_t communicator = 0;
  /// Of a collective: barrier 0; bcast, reduce, allreduce, scan, exscan: size of the vector; gather, scatter,
  /// allgather, alltoall: one member's block; reduce_scatter_block: one block; v forms: total that this rank
  /// sends.
  Bytes bytes = 0;
  std::uint64_t request = 0;  // unique among the rank's open requests
  SendMode mode = SendMode::standard;
  /// Of a collective: number of its call among the rank's collective calls over the communicator, by which
  /// the ranks' calls are matched; absent: they are matched in the order in which a rank begins them.
  std::optional<std::uint32_t> number;
  bool persistent = false;  // the start of a persistent collective: `number` is that of its initialisation
  bool matched = false;     // a recv_post: peer, tag and communicator are those of the message it will get
  /// Of a receive: it takes the `order`th message (from 1) from its peer with its tag and communicator; 0:
  /// the next one (receive_order.h).
  std::uint32_t order = 0;
  CollectiveOp collective = CollectiveOp::barrier;
  RmaSync sync = RmaSync::fence;
  std::uint32_t window = 0;
  std::vector<std::uint32_t> group;
  std::uint32_t region = 0;
  /// Bytes that this rank sends to (receives from) each member of a collective, by rank in the communicator;
  /// empty if all sizes are equal. Neighbourhood forms: by position in `neighbors_out` (`neighbors_in`).
  std::vector<Bytes> counts_sent, counts_received;
  std::vector<std::uint32_t> neighbors_out, neighbors_in;  // world ranks, neighbourhood collectives only

  bool operator==(const Operation&) const = default;
};

/// Sets all members to their defaults. Keeps the memory of the vectors.
void reset(Operation& operation);

struct CommunicatorInfo {
  std::vector<std::uint32_t> members;  // world rank of each local rank; empty: MPI_COMM_SELF, each rank alone
  std::vector<std::uint32_t> remote;   // the second group of an inter-communicator, else empty
};

/// A place in the program's source that calls MPI.
struct CallSite {
  std::string function;    // that contains the call
  std::string file;        // "": not known; then `line` is 0
  std::uint32_t line = 0;  // of the call; in traces of other tools that of the function
  auto operator<=>(const CallSite&) const = default;
};

/// A call of MPI in the program's source.
struct SourceCall {
  std::string call;  // "MPI_Send"
  CallSite site;
  auto operator<=>(const SourceCall&) const = default;
};

/// What predictors use as call site (Predictor::on_send): the communicator and tag of a message, or its
/// collective, which all traces have.
constexpr std::uint64_t prediction_context(std::uint32_t communicator, std::int32_t tag) {
  return (std::uint64_t{communicator} << 32 | static_cast<std::uint32_t>(tag)) + 1;
}
inline std::uint64_t prediction_context(const Operation& op) {
  return prediction_context(op.communicator, op.tag);
}
constexpr std::uint64_t prediction_context(CollectiveOp op) {
  return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(op);
}
/// Of a reply to a get: no call of its rank sends it.
inline constexpr std::uint64_t kNoPredictionContext = 0;

/// Root of a collective: MPI_PROC_NULL (inter-communicators), or an operation without a root.
inline constexpr std::uint32_t kNoRoot = ~std::uint32_t{0};

/// A recorded job. Operations are read as they are requested: memory does not grow with the trace's length.
class JobTrace {
 public:
  struct Location {
    std::uint32_t rank = 0;
    std::string name;
  };

  virtual ~JobTrace() = default;
  virtual std::uint32_t ranks() const = 0;
  virtual const std::vector<Location>& locations() const = 0;
  virtual const CommunicatorInfo& communicator(std::uint32_t id) const = 0;
  virtual const std::string& region_name(std::uint32_t id) const = 0;
  /// The call sites that operations name; the same of each trace with these definitions. Different ones may
  /// be equal.
  virtual const std::vector<CallSite>& call_sites() const;
  /// Recorded port of each rank; empty if the trace has none (rank r is then on port r).
  virtual const std::vector<std::uint32_t>& placement() const = 0;
  /// A recorded fact ("application", "clock", "yield", "lost_events", ...); "" if the trace does not have it.
  virtual std::string property(std::string_view name) const = 0;
  /// All recorded facts, for the report.
  virtual std::vector<std::pair<std::string, std::string>> properties() const = 0;

  /// How much of the trace has been read, in the format's own events; all: 0 if their number is not known.
  struct EventsRead {
    std::uint64_t read = 0, all = 0;
  };
  virtual EventsRead events() const { return {}; }

  /// Reads the next operation of a location; false after its end. Throws UserError, naming file and place,
  /// for a damaged trace.
  virtual bool next(std::uint32_t location, Operation& operation) = 0;
};

/// The call with these numbers (Operation::call and call_site). Requires: `site` is not 0.
SourceCall source_call(const JobTrace& trace, std::uint32_t call, std::uint32_t site);

/// Another trace; derived classes change or count its operations.
class ForwardingTrace : public JobTrace {
 public:
  explicit ForwardingTrace(std::unique_ptr<JobTrace> trace) : trace_(std::move(trace)) {}
  std::uint32_t ranks() const override { return trace_->ranks(); }
  const std::vector<Location>& locations() const override { return trace_->locations(); }
  const CommunicatorInfo& communicator(std::uint32_t id) const override { return trace_->communicator(id); }
  const std::string& region_name(std::uint32_t id) const override { return trace_->region_name(id); }
  const std::vector<CallSite>& call_sites() const override { return trace_->call_sites(); }
  const std::vector<std::uint32_t>& placement() const override { return trace_->placement(); }
  std::string property(std::string_view name) const override { return trace_->property(name); }
  std::vector<std::pair<std::string, std::string>> properties() const override {
    return trace_->properties();
  }
  EventsRead events() const override { return trace_->events(); }
  bool next(std::uint32_t location, Operation& operation) override {
    return trace_->next(location, operation);
  }

 private:
  std::unique_ptr<JobTrace> trace_;
};

}  // namespace hybrid
