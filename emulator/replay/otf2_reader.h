// Trace format "otf2": archives of Open Trace Format 2, written by libhybrid, Score-P, TAU or EZTrace.
// trace_names.h describes what libhybrid's archives contain in addition to the format.
//
// Each location is read in pieces as its operations are requested. Memory does not grow with the trace; it
// grows with the number of locations that are read at a time, and with the operations during which a
// nonblocking collective is open (archives of other tools have its parameters at its completion).
#pragma once

#include <otf2/otf2.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/replay/operation.h"
#include "emulator/replay/otf2_definitions.h"
#include "emulator/replay/otf2_stream.h"

namespace hybrid {

class Otf2Trace final : public JobTrace {
 public:
  /// `anchor`: path of the archive's .otf2 file. Throws UserError, naming the file, for an archive that is
  /// missing, empty, truncated, incomplete, or not OTF2.
  explicit Otf2Trace(const std::string& anchor);

  std::uint32_t ranks() const override { return definitions_.ranks; }
  const std::vector<Location>& locations() const override { return locations_; }
  const CommunicatorInfo& communicator(std::uint32_t id) const override {
    return definitions_.communicators.at(id);
  }
  const std::string& region_name(std::uint32_t id) const override { return definitions_.regions.at(id).name; }
  const std::vector<CallSite>& call_sites() const override { return definitions_.call_sites; }
  const std::vector<std::uint32_t>& placement() const override { return definitions_.placement; }
  std::string property(std::string_view name) const override;
  std::vector<std::pair<std::string, std::string>> properties() const override { return definitions_.facts; }
  EventsRead events() const override { return events_; }
  bool next(std::uint32_t location, Operation& operation) override;

 private:
  struct Input {
    explicit Input(Otf2Stream s) : stream(std::move(s)) {}
    Otf2Stream stream;
    OTF2_EvtReader* reader = nullptr;  // while there are events to read: it has a buffer of a chunk's size
    std::uint64_t events = 0;          // read so far
    bool begun = false, ended = false;
  };
  struct Closer {
    void operator()(OTF2_Reader* reader) const;
  };

  void open_locations();
  void begin(std::uint32_t location);
  void open_events(std::uint32_t location);
  void read_more(std::uint32_t location);
  std::string file_of(std::uint32_t location, std::string_view suffix) const;

  std::string anchor_;
  Otf2Definitions definitions_;
  std::vector<Location> locations_;
  std::vector<std::unique_ptr<Input>> inputs_;  // by location; their addresses are the user data of callbacks
  EventsRead events_;
  std::unique_ptr<OTF2_Reader, Closer> reader_;
};

}  // namespace hybrid
