#include "emulator/replay/operation.h"

#include <utility>

namespace hybrid {

const std::vector<CallSite>& JobTrace::call_sites() const {
  static const std::vector<CallSite> kNone;
  return kNone;
}

SourceCall source_call(const JobTrace& trace, std::uint32_t call, std::uint32_t site) {
  return {trace.region_name(call), trace.call_sites().at(site - 1)};
}

void reset(Operation& operation) {
  Operation fresh;
  fresh.counts_sent.swap(operation.counts_sent);
  fresh.counts_received.swap(operation.counts_received);
  fresh.neighbors_out.swap(operation.neighbors_out);
  fresh.neighbors_in.swap(operation.neighbors_in);
  fresh.group.swap(operation.group);
  fresh.group.clear();
  fresh.counts_sent.clear();
  fresh.counts_received.clear();
  fresh.neighbors_out.clear();
  fresh.neighbors_in.clear();
  std::swap(operation, fresh);
}

}  // namespace hybrid
