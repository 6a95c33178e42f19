#include "emulator/network/collective_plane.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "emulator/network/longest_run.h"

namespace hybrid {

CollectivePlane::CollectivePlane(const SwitchParameters& parameters, bool instant)
    : timing_(parameters),
      instant_(instant),
      cycle_(parameters.scheduler.cycle),
      setup_(parameters.scheduler.delay()),
      handed_(parameters.nodes),
      link_free_(parameters.nodes),
      output_free_(parameters.nodes) {}

CollectivePlane::Copied CollectivePlane::multicast(Time at, Port source, const PortSet& ports, Bytes bytes) {
  if (instant_) return {at, at};
  const std::uint64_t words = timing_.payload(bytes);
  const Time slowest = std::max({timing_.generation, timing_.word, timing_.digital_word});
  if (words > static_cast<std::uint64_t>(kLongestMessage / slowest)) refuse_longer_run();
  const auto more = static_cast<std::int64_t>(words - 1);  // after the first
  const Time offered = std::max(at + timing_.generation, handed_[source]);
  const Time injected = offered + timing_.generation * more;
  handed_[source] = injected + timing_.generation;

  // Words wait for their generation or for the previous word on the link: the last word for the longer of
  // both.
  const Time first = std::max(offered + timing_.nic, link_free_[source]);
  const Time last = std::max(injected + timing_.nic, first + timing_.word * more);
  link_free_[source] = within_run(last + timing_.word);

  Time free = first + timing_.wire;
  for_each_port(ports.words(), [&](Port output) { free = std::max(free, output_free_[output]); });
  // The same in the fabric, which is no faster than the link.
  const Time passes =
      within_run(std::max(grant_time(free) + timing_.digital_word * more, last + timing_.wire));
  for_each_port(ports.words(), [&](Port output) { output_free_[output] = passes + timing_.digital_word; });
  return {injected, passes + timing_.digital + timing_.nic};
}

Time CollectivePlane::barrier(Time last) const {
  if (instant_) return last;
  return grant_time(last + timing_.nic + timing_.wire) + timing_.digital + timing_.nic;
}

void add_multicast_option(OptionTable& table, bool& hardware) {
  table.add({"multicast", "hardware|none", "broadcasts and barriers: in the fabric, or as ordinary messages",
             hardware ? "hardware" : "none", [&hardware](std::string_view text) {
               if (text != "hardware" && text != "none")
                 throw UserError("multicast: '" + std::string(text) + "' is neither hardware nor none");
               hardware = text == "hardware";
             }});
}

void check_multicast(const SwitchParameters& parameters) {
  if (parameters.is_tree())
    throw UserError("multicast: the fabric of a crossbar can multicast, that of a fat tree cannot",
                    "Leave out --multicast or --network.");
}

}  // namespace hybrid
