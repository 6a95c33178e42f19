#include "emulator/scheduler/demand_scheduler.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace hybrid {

BitRate packet_rate(const DemandProblem& problem) {
  return static_cast<BitRate>(std::floor(static_cast<double>(problem.link_rate) * problem.packet_plane));
}

void check_demand(const DemandProblem& problem) {
  if (problem.link_rate == 0)
    throw UserError("link-rate: 0 b/s carries nothing", "Give a rate, such as 10Gb/s.");
  if (!(problem.packet_plane >= 0 && problem.packet_plane <= 1))
    throw UserError(fmt::format("packet-plane: {} is not a share of the link rate", problem.packet_plane),
                    "Give a number from 0 to 1.");
  if (problem.packet_plane > 0 && packet_rate(problem) == 0)
    throw UserError("packet-plane: less than 1 b/s is left to the packet network",
                    "Give a larger share, or 0.");
  if (problem.reconfiguration < Time{}) throw UserError("reconfiguration: less than 0");
  // No schedule takes longer than one connection after the other; a decomposition has at most as many
  // configurations as the stuffed demand has entries. Half of the range of Time is reserved for sums.
  const double seconds_of_bytes = [&] {
    double bytes = 0;
    for (const Request& r : problem.set.requests) bytes += static_cast<double>(r.bytes);
    return 8 * bytes / static_cast<double>(problem.link_rate);
  }();
  const double configurations =
      static_cast<double>(problem.set.requests.size()) + 2.0 * static_cast<double>(problem.set.ports);
  const double longest = seconds_of_bytes + configurations * problem.reconfiguration.seconds();
  if (longest > Time::never().seconds() / 2)
    throw UserError(
        fmt::format("the demand could take {:.0f} days, more than the range of times", longest / 86'400),
        "Give fewer bytes, a faster --link-rate or a shorter --reconfiguration.");
}

}  // namespace hybrid
