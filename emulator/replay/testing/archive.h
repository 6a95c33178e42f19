// Small OTF2 archives for tests and benchmarks, written with libotf2.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/temporary_directory.h"

namespace hybrid {

/// Writes DIRECTORY/NAME.otf2 and the files of its archive. Location r is rank r's main thread; further
/// threads have the ids after the last rank. close() writes the definitions: OTF2 requires them after the
/// events.
class TestArchive {
 public:
  TestArchive(const std::string& directory, const std::string& name, std::uint32_t ranks,
              std::uint64_t ticks_per_second = 1'000'000'000, const std::string& creator = "test");

  OTF2_StringRef string(const std::string& text);
  OTF2_RegionRef region(const std::string& name, OTF2_Paradigm paradigm = OTF2_PARADIGM_MPI,
                        OTF2_RegionFlag flags = OTF2_REGION_FLAG_NONE);
  /// Communicator of these world ranks; world is 0, MPI_COMM_SELF is 1.
  OTF2_CommRef communicator(const std::vector<std::uint64_t>& members);
  OTF2_CommRef inter_communicator(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b);
  OTF2_RmaWinRef window(OTF2_CommRef communicator);
  OTF2_AttributeRef attribute(std::string_view name, OTF2_Type type);
  OTF2_ParameterRef parameter(std::string_view name);
  OTF2_LocationRef thread(std::uint32_t rank);
  void port(std::uint32_t rank, std::uint32_t port);
  void fact(const std::string& property, const std::string& value);
  void first_tick(std::uint64_t tick) { first_tick_ = tick; }

  /// A location's events.
  OTF2_EvtWriter* events(OTF2_LocationRef location);
  /// Enter, the events of `body`, Leave.
  void call(OTF2_LocationRef location, std::uint64_t begin, std::uint64_t end, const std::string& name,
            const std::function<void(OTF2_EvtWriter*)>& body = {});
  void close();

 private:
  struct Definition {
    std::uint32_t ref;
    OTF2_StringRef name;
  };
  struct Region : Definition {
    OTF2_Paradigm paradigm;
    OTF2_RegionFlag flags;
  };
  struct Communicator {
    OTF2_CommRef ref;
    std::vector<std::uint64_t> a, b;
  };

  OTF2_Archive* archive_;
  std::uint32_t ranks_;
  std::uint64_t ticks_per_second_, first_tick_ = 0;
  std::map<std::string, OTF2_StringRef> strings_;
  std::map<std::string, Region> regions_;
  std::vector<Communicator> communicators_;
  std::vector<OTF2_CommRef> windows_;
  std::vector<std::pair<Definition, OTF2_Type>> attributes_;
  std::vector<Definition> parameters_;
  std::vector<std::uint32_t> threads_;  // rank of each location past the main ones
  std::map<std::uint32_t, std::uint32_t> ports_;
  std::map<OTF2_LocationRef, OTF2_EvtWriter*> writers_;
};

}  // namespace hybrid
