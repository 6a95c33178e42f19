// Writer of timelines for ui.perfetto.dev (emulator/timeline_encoding.h; the JSON also for chrome://tracing).
//
// Each port is a process with the threads "PE" (generates words), "link out" (NIC to switch) and "in" (fabric
// to this port); with split links, the last two exist for each circuit channel, too. Waiting for a grant is
// an asynchronous event of the source's process. The process "switch" has the TDM slots. In a replay each
// rank is a process, too, whose threads compute or wait in an operation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/new_file.h"
#include "emulator/network/timeline.h"
#include "emulator/timeline_encoding.h"

namespace hybrid {

class TimelineFile final : public PortTimeline {
 public:
  /// Begins the file. It appears under its name when it is complete (core/new_file.h). Throws UserError if it
  /// exists or cannot be created.
  TimelineFile(const std::string& path, std::uint32_t ports);

  /// Completes the file. Throws RunError, and leaves no file, if not everything could be written.
  void finish();

  void offered(Time from, std::uint32_t transfer, const Message& message) override;
  void generated(Time until, std::uint32_t transfer) override;
  void on_link(const WordSpan& words) override;
  void out_of_fabric(const WordSpan& words) override;
  void waited(Time from, Time until, Connection connection, bool worm) override;
  void slot(Time begin, Time end, std::uint32_t slot, bool wormhole, Time unusable) override;
  void in_rank(std::uint32_t rank, std::uint32_t location, Time from, Time until,
               std::string_view what) override;

 private:
  struct Known {
    Time from{};
    Message message;
  };
  void words(const WordSpan& words, Port port, unsigned thread, const std::string& name);
  void name_channels(Port port, std::uint32_t channel);

  std::string path_;
  NewFile file_;
  std::unique_ptr<TimelineEncoding> encoding_;
  std::uint64_t waits_ = 0;
  std::vector<Known> known_;             // by transfer
  std::vector<std::uint32_t> channels_;  // by port: number of circuit channels that have names
  std::vector<bool> ranks_named_, locations_named_;
};

}  // namespace hybrid
