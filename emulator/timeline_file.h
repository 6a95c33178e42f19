// A timeline as the trace-event JSON that ui.perfetto.dev and chrome://tracing open.
//
// One process a port, with the threads "PE" (generates words), "link out" (NIC to switch) and "in" (fabric to
// this port), and, where links are split, the last two for each channel of circuits, too; waiting for a grant
// is an asynchronous event of the source's process. The process "switch" has the TDM slots. Times are
// microseconds with six decimals, so picoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/new_file.h"
#include "emulator/network/timeline.h"

namespace hybrid {

class TimelineFile final : public PortTimeline {
 public:
  /// Begins the file, which is there when it is whole (core/new_file.h). Throws UserError where it exists or
  /// cannot be made.
  TimelineFile(const std::string& path, std::uint32_t ports);

  /// The last of it. Throws RunError when not everything could be written; then nothing of it stays.
  void finish();

  void offered(Time from, std::uint32_t transfer, const Message& message) override;
  void generated(Time until, std::uint32_t transfer) override;
  void on_link(const WordSpan& words) override;
  void out_of_fabric(const WordSpan& words) override;
  void waited(Time from, Time until, Connection connection, bool worm) override;
  void slot(Time begin, Time end, std::uint32_t slot, bool wormhole, Time unusable) override;

 private:
  struct Known {
    Time from{};
    Message message;
  };
  void write(const std::string& event);
  void words(const WordSpan& words, Port port, unsigned thread, const std::string& name);
  void name_channels(Port port, std::uint32_t channel);

  std::string path_;
  NewFile file_;
  bool first_ = true;
  std::uint64_t waits_ = 0;
  std::vector<Known> known_;             // by transfer
  std::vector<std::uint32_t> channels_;  // by port: those of circuits that have names
};

}  // namespace hybrid
