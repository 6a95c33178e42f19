#include "emulator/replay/stored_job.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/parallel.h"

namespace hybrid {
namespace {

// An operation is its kind (1 byte), the set of its members that are not those of a new Operation (a number;
// bit i: the i-th member below), and the values of these members. Numbers are in groups of 7 bits, the lowest
// first; bit 7 of a byte: another group follows. Signed numbers n are 2 n, or -2 n - 1 if negative.

/// Calls visit(member, base) for each member but the kind; of a signed member, the difference to `base` is
/// stored. `before`: `at` of the operation before.
template <class Op, class Visitor>
void for_each_member(Op& op, Time before, Visitor&& visit) {
  // Names all members: a new one does not compile until it is visited.
  auto& [kind, compute, at, completed, call, call_site, peer, tag, communicator, bytes, request, mode, number,
         persistent, matched, order, collective, sync, window, group, region, counts_sent, counts_received,
         neighbors_out, neighbors_in] = op;
  visit(at.ps, before.ps);
  visit(compute.ps, 0);
  visit(peer, 0);
  visit(bytes, 0);
  visit(request, 0);
  visit(tag, 0);
  visit(completed.ps, at.ps);  // the set of the first seven, which most operations have, takes one byte
  visit(call, 0);
  visit(call_site, 0);
  visit(communicator, 0);
  visit(matched, 0);
  visit(order, 0);
  visit(collective, 0);
  visit(number, 0);
  visit(persistent, 0);
  visit(mode, 0);
  visit(region, 0);
  visit(sync, 0);
  visit(window, 0);
  visit(group, 0);
  visit(counts_sent, 0);
  visit(counts_received, 0);
  visit(neighbors_out, 0);
  visit(neighbors_in, 0);
}

class Encoder {
 public:
  explicit Encoder(std::vector<std::uint8_t>& code) : code_(code) {}

  void add(const Operation& op) {
    values_.clear();
    std::uint32_t set = 0, bit = 1;
    for_each_member(op, before_, [&](const auto& member, std::int64_t base) {
      if (member != std::decay_t<decltype(member)>{}) {
        set |= bit;
        put(values_, member, base);
      }
      bit <<= 1;
    });
    before_ = op.at;
    code_.push_back(static_cast<std::uint8_t>(op.kind));
    put(code_, set, 0);
    code_.insert(code_.end(), values_.begin(), values_.end());
  }

 private:
  using Code = std::vector<std::uint8_t>;

  template <class Value>
  static void put(Code& code, Value value, std::int64_t base) {
    if constexpr (std::is_signed_v<Value>) {
      // Unsigned: differences of times that a damaged trace has may wrap around, and back.
      const std::uint64_t n = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(base);
      put(code, n << 1 ^ -(n >> 63), 0);
    } else {
      auto number = static_cast<std::uint64_t>(value);
      for (; number >= 0x80; number >>= 7) code.push_back(static_cast<std::uint8_t>(number | 0x80));
      code.push_back(static_cast<std::uint8_t>(number));
    }
  }
  template <class Value>
  static void put(Code& code, const std::optional<Value>& value, std::int64_t base) {
    put(code, value.value_or(Value{}), base);
  }
  template <class Value>
  static void put(Code& code, const std::vector<Value>& values, std::int64_t base) {
    put(code, values.size(), 0);
    for (const Value value : values) put(code, value, base);
  }

  Code& code_;
  Code values_;
  Time before_{};
};

class Decoder {
 public:
  explicit Decoder(const std::vector<std::uint8_t>& code) : at_(code.data()), end_(at_ + code.size()) {}

  /// False at the end.
  bool next(Operation& op) {
    if (at_ == end_) return false;
    reset(op);
    op.kind = static_cast<Operation::Kind>(*at_++);
    std::uint32_t set = 0, bit = 1;
    get(set, 0);
    for_each_member(op, before_, [&](auto& member, std::int64_t base) {
      if ((set & bit) != 0) get(member, base);
      bit <<= 1;
    });
    before_ = op.at;
    return true;
  }

 private:
  template <class Value>
  void get(Value& value, std::int64_t base) {
    std::uint64_t number = *at_ & 0x7F;
    for (unsigned shift = 7; (*at_++ & 0x80) != 0; shift += 7) number |= std::uint64_t{*at_ & 0x7Fu} << shift;
    if constexpr (std::is_signed_v<Value>)
      value = static_cast<Value>(static_cast<std::uint64_t>(base) + (number >> 1 ^ -(number & 1)));
    else
      value = static_cast<Value>(number);
  }
  template <class Value>
  void get(std::optional<Value>& value, std::int64_t base) {
    get(value.emplace(), base);
  }
  template <class Value>
  void get(std::vector<Value>& values, std::int64_t base) {
    std::size_t size = 0;
    get(size, 0);
    values.resize(size);
    for (Value& value : values) get(value, base);
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  Time before_{};
};

}  // namespace

class StoredTrace final : public JobTrace {
 public:
  explicit StoredTrace(std::shared_ptr<const StoredJob> job) : job_(std::move(job)) {
    for (const StoredJob::Code& code : job_->locations_) decoders_.emplace_back(code);
  }
  std::uint32_t ranks() const override { return definitions().ranks(); }
  const std::vector<Location>& locations() const override { return definitions().locations(); }
  const CommunicatorInfo& communicator(std::uint32_t id) const override {
    return definitions().communicator(id);
  }
  const std::string& region_name(std::uint32_t id) const override { return definitions().region_name(id); }
  const std::vector<CallSite>& call_sites() const override { return definitions().call_sites(); }
  const std::vector<std::uint32_t>& placement() const override { return definitions().placement(); }
  std::string property(std::string_view name) const override { return definitions().property(name); }
  std::vector<std::pair<std::string, std::string>> properties() const override {
    return definitions().properties();
  }
  EventsRead events() const override { return {read_, job_->operations_}; }
  bool next(std::uint32_t location, Operation& operation) override {
    if (!decoders_[location].next(operation)) return false;
    ++read_;
    return true;
  }

 private:
  const JobTrace& definitions() const { return *job_->definitions_; }

  std::shared_ptr<const StoredJob> job_;
  std::vector<Decoder> decoders_;
  std::uint64_t read_ = 0;
};

std::shared_ptr<const StoredJob> StoredJob::read(const TraceOpener& open, unsigned threads,
                                                 std::size_t most_bytes, const Note& note) {
  constexpr std::uint64_t kBytesPerEvent = 4;  // at least; a call is two to four events and one operation
  constexpr std::uint64_t kNotedEvery = 4096;
  const auto job = std::make_shared<StoredJob>();
  std::vector<std::unique_ptr<JobTrace>> idle;
  idle.push_back(open());
  const auto locations = idle.back()->locations();
  const std::uint64_t events = idle.back()->events().all;
  if (events > most_bytes / kBytesPerEvent) return nullptr;
  job->locations_.resize(locations.size());

  // A rank's locations are one piece of work, since an archive's threads need their rank's first event.
  std::vector<std::uint32_t> begins;
  for (std::uint32_t i = 0; i < locations.size(); ++i)
    if (i == 0 || locations[i].rank != locations[i - 1].rank) begins.push_back(i);
  begins.push_back(static_cast<std::uint32_t>(locations.size()));

  std::mutex mutex;  // of `idle`, `progress` and the job's number of operations
  JobTrace::EventsRead progress{0, events};
  std::atomic<std::size_t> bytes{0};
  std::atomic<bool> ended{false};
  run_parallel(begins.size() - 1, threads, [&](std::size_t rank) {
    if (ended) return;
    std::unique_ptr<JobTrace> trace;
    if (const std::lock_guard lock(mutex); !idle.empty()) {
      trace = std::move(idle.back());
      idle.pop_back();
    }
    if (!trace) trace = open();
    std::uint64_t read = trace->events().read, operations = 0;
    const auto show = [&] {
      const std::uint64_t before = std::exchange(read, trace->events().read);
      const std::lock_guard lock(mutex);
      progress.read += read - before;
      if (note) note(progress);
    };
    try {
      for (std::uint32_t location = begins[rank]; location != begins[rank + 1]; ++location) {
        Code& code = job->locations_[location];
        Encoder encoder(code);
        std::size_t counted = 0;
        Operation operation;
        while (trace->next(location, operation)) {
          encoder.add(operation);
          if (++operations % kNotedEvery != 0) continue;
          show();
          bytes += code.size() - std::exchange(counted, code.size());
          if (bytes > most_bytes) return void(ended = true);
        }
        code.shrink_to_fit();
        bytes += code.size() - counted;
      }
    } catch (...) {
      ended = true;
      throw;
    }
    if (bytes > most_bytes) ended = true;
    show();
    const std::lock_guard lock(mutex);
    job->operations_ += operations;
    idle.push_back(std::move(trace));
  });
  if (ended) return nullptr;
  job->definitions_ = std::move(idle.back());
  return job;
}

std::unique_ptr<JobTrace> StoredJob::open() const {
  return std::make_unique<StoredTrace>(shared_from_this());
}

std::size_t StoredJob::bytes() const {
  std::size_t bytes = 0;
  for (const Code& code : locations_) bytes += code.size();
  return bytes;
}

}  // namespace hybrid
