// Which hinted phases stand in which: procedures within loops, loops within loops. A phase whose connections,
// with those of all phases in it, fit into the preloaded slots is best held as a whole: then nothing is
// exchanged each time that one of the inner phases begins.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/connection.h"
#include "emulator/replay/operation.h"

namespace hybrid {

class PhaseNesting {
 public:
  /// `inner` occurs directly in `outer`; an empty `outer`: in no other phase.
  void add(const std::string& outer, const std::string& inner);

  /// For each phase, what to hold while it goes on. `own`: the connections, between ports below `ports`, of
  /// each phase without those in it; phases of none may be left out. That is what the outermost phase around
  /// it needs, all phases in that included, of those that need no more than `slots` connections at any port;
  /// its own connections, where there is none. A phase that occurs in several others, or in others as well as
  /// by itself, is taken by itself. Phases with nothing to hold are left out.
  std::map<std::string, std::set<Connection>> whole(const std::map<std::string, std::set<Connection>>& own,
                                                    std::uint32_t ports, std::uint32_t slots) const;

 private:
  std::map<std::string, std::set<std::string>> around_, within_;
};

/// Of the phases as they were recorded. Reads the trace to its end.
PhaseNesting phase_nesting(JobTrace& trace);

}  // namespace hybrid
