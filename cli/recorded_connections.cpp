#include "cli/recorded_connections.h"

#include <utility>
#include <vector>

namespace hybrid {

RecordedConnections read_connections(JobTrace& trace) {
  using Kind = Operation::Kind;
  RecordedConnections used;
  Operation operation;
  for (std::uint32_t location = 0; location < trace.locations().size(); ++location) {
    const std::uint32_t rank = trace.locations()[location].rank;
    struct Open {
      const std::string* name;
      ConnectionMessages* messages;
      Time began;
      bool has_sent = false;
    };
    std::vector<Open> phases;  // the innermost last
    while (trace.next(location, operation)) {
      switch (operation.kind) {
        case Kind::phase_begin:
          used.began[trace.region_name(operation.region)].insert(rank);
          phases.push_back({&trace.region_name(operation.region),
                            &used.phases[trace.region_name(operation.region)], operation.at});
          break;
        case Kind::phase_end:
          if (!phases.empty()) phases.pop_back();
          break;
        case Kind::send:
        case Kind::send_start:
          if (operation.peer == rank) break;
          ++used.all[{rank, operation.peer}];
          if (phases.empty()) break;
          ++(*phases.back().messages)[{rank, operation.peer}];
          if (!std::exchange(phases.back().has_sent, true))
            used.leads[*phases.back().name].add({1, operation.at - phases.back().began});
          break;
        case Kind::hint:
          if (!phases.empty() && operation.peer != rank)
            used.hinted[*phases.back().name].insert({rank, operation.peer});
          break;
        default:
          break;
      }
    }
  }
  return used;
}

}  // namespace hybrid
