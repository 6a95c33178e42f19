#include "emulator/replay/testing/archive.h"

#include <unistd.h>

#include <numeric>
#include <stdexcept>

namespace hybrid {
namespace {

void must(OTF2_ErrorCode code) {
  if (code != OTF2_SUCCESS) throw std::runtime_error(OTF2_Error_GetDescription(code));
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
OTF2_TimeStamp flushed(void*, OTF2_FileType, OTF2_LocationRef) { return 0; }
constexpr OTF2_FlushCallbacks kFlush{flush, flushed};

}  // namespace

TestArchive::TestArchive(const std::string& directory, const std::string& name, std::uint32_t ranks,
                         std::uint64_t ticks_per_second, const std::string& creator)
    : archive_(OTF2_Archive_Open(directory.c_str(), name.c_str(), OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)),
      ranks_(ranks),
      ticks_per_second_(ticks_per_second) {
  if (archive_ == nullptr) throw std::runtime_error("no archive");
  must(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
  must(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
  must(OTF2_Archive_SetCreator(archive_, creator.c_str()));
  must(OTF2_Archive_OpenEvtFiles(archive_));
  string("");
  std::vector<std::uint64_t> world(ranks);
  std::iota(world.begin(), world.end(), 0);
  communicator(world);
  communicators_.push_back({1, {}, {}});
}

OTF2_StringRef TestArchive::string(const std::string& text) {
  return strings_.emplace(text, static_cast<OTF2_StringRef>(strings_.size())).first->second;
}
OTF2_RegionRef TestArchive::region(const std::string& name, OTF2_Paradigm paradigm, OTF2_RegionFlag flags) {
  const auto ref = static_cast<std::uint32_t>(regions_.size());
  return regions_.emplace(name, Region{{ref, string(name)}, paradigm, flags}).first->second.ref;
}
OTF2_CommRef TestArchive::communicator(const std::vector<std::uint64_t>& members) {
  return inter_communicator(members, {});
}
OTF2_CommRef TestArchive::inter_communicator(const std::vector<std::uint64_t>& a,
                                             const std::vector<std::uint64_t>& b) {
  communicators_.push_back({static_cast<OTF2_CommRef>(communicators_.size()), a, b});
  return communicators_.back().ref;
}
OTF2_RmaWinRef TestArchive::window(OTF2_CommRef communicator) {
  windows_.push_back(communicator);
  return static_cast<OTF2_RmaWinRef>(windows_.size() - 1);
}
OTF2_AttributeRef TestArchive::attribute(std::string_view name, OTF2_Type type) {
  const auto ref = static_cast<OTF2_AttributeRef>(attributes_.size());
  attributes_.push_back({{ref, string(std::string(name))}, type});
  return ref;
}
OTF2_ParameterRef TestArchive::parameter(std::string_view name) {
  const auto ref = static_cast<OTF2_ParameterRef>(parameters_.size());
  parameters_.push_back({ref, string(std::string(name))});
  return ref;
}
OTF2_LocationRef TestArchive::thread(std::uint32_t rank) {
  threads_.push_back(rank);
  return ranks_ + threads_.size() - 1;
}
void TestArchive::port(std::uint32_t rank, std::uint32_t port) { ports_[rank] = port; }
void TestArchive::fact(const std::string& property, const std::string& value) {
  must(OTF2_Archive_SetProperty(archive_, property.c_str(), value.c_str(), true));
}

OTF2_EvtWriter* TestArchive::events(OTF2_LocationRef location) {
  OTF2_EvtWriter*& writer = writers_[location];
  if (writer == nullptr) writer = OTF2_Archive_GetEvtWriter(archive_, location);
  return writer;
}
void TestArchive::call(OTF2_LocationRef location, std::uint64_t begin, std::uint64_t end,
                       const std::string& name, const std::function<void(OTF2_EvtWriter*)>& body) {
  OTF2_EvtWriter* writer = events(location);
  must(OTF2_EvtWriter_Enter(writer, nullptr, begin, region(name)));
  if (body) body(writer);
  must(OTF2_EvtWriter_Leave(writer, nullptr, end, region(name)));
}

void TestArchive::close() {
  for (std::uint32_t r = 0; r < ranks_; ++r) string("rank " + std::to_string(r));
  string("hybrid.port");
  std::map<OTF2_LocationRef, std::uint64_t> counts;
  for (OTF2_LocationRef l = 0; l < ranks_ + threads_.size(); ++l) {
    OTF2_EvtWriter* writer = events(l);
    must(OTF2_EvtWriter_GetNumberOfEvents(writer, &counts[l]));
    must(OTF2_Archive_CloseEvtWriter(archive_, writer));
  }
  must(OTF2_Archive_CloseEvtFiles(archive_));
  must(OTF2_Archive_OpenDefFiles(archive_));
  for (const auto& [location, count] : counts)
    must(OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, location)));
  must(OTF2_Archive_CloseDefFiles(archive_));

  OTF2_GlobalDefWriter* d = OTF2_Archive_GetGlobalDefWriter(archive_);
  must(OTF2_GlobalDefWriter_WriteClockProperties(d, ticks_per_second_, first_tick_, 1u << 30,
                                                 OTF2_UNDEFINED_TIMESTAMP));
  for (const auto& [text, ref] : strings_) must(OTF2_GlobalDefWriter_WriteString(d, ref, text.c_str()));
  must(OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, string(""), string(""),
                                                OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  std::vector<std::uint64_t> main(ranks_);
  std::iota(main.begin(), main.end(), 0);
  for (std::uint32_t r = 0; r < ranks_; ++r)
    must(OTF2_GlobalDefWriter_WriteLocationGroup(d, r, string("rank " + std::to_string(r)),
                                                 OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                 OTF2_UNDEFINED_LOCATION_GROUP));
  for (const auto& [location, count] : counts) {
    const auto rank = location < ranks_ ? static_cast<std::uint32_t>(location) : threads_[location - ranks_];
    must(OTF2_GlobalDefWriter_WriteLocation(d, location, string("rank " + std::to_string(rank)),
                                            OTF2_LOCATION_TYPE_CPU_THREAD, count, rank));
  }
  for (const auto& [rank, port] : ports_) {
    OTF2_AttributeValue value;
    value.uint32 = port;
    must(OTF2_GlobalDefWriter_WriteLocationGroupProperty(d, rank, string("hybrid.port"), OTF2_TYPE_UINT32,
                                                         value));
  }
  for (const auto& [name, r] : regions_)
    must(OTF2_GlobalDefWriter_WriteRegion(d, r.ref, r.name, r.name, string(""), OTF2_REGION_ROLE_FUNCTION,
                                          r.paradigm, r.flags, string(""), 0, 0));
  OTF2_GroupRef group = 0;
  const auto write_group = [&](OTF2_GroupType type, const std::vector<std::uint64_t>& members) {
    must(OTF2_GlobalDefWriter_WriteGroup(d, group, string(""), type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                         static_cast<std::uint32_t>(members.size()), members.data()));
    return group++;
  };
  write_group(OTF2_GROUP_TYPE_COMM_LOCATIONS, main);
  for (const Communicator& c : communicators_) {
    const OTF2_GroupRef a =
        write_group(c.ref == 1 ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP, c.a);
    if (c.b.empty()) {
      must(OTF2_GlobalDefWriter_WriteComm(d, c.ref, string(""), a, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    } else {
      const OTF2_GroupRef b = write_group(OTF2_GROUP_TYPE_COMM_GROUP, c.b);
      must(OTF2_GlobalDefWriter_WriteInterComm(d, c.ref, string(""), a, b, OTF2_UNDEFINED_COMM,
                                               OTF2_COMM_FLAG_NONE));
    }
  }
  for (std::uint32_t w = 0; w < windows_.size(); ++w)
    must(OTF2_GlobalDefWriter_WriteRmaWin(d, w, string(""), windows_[w], OTF2_RMA_WIN_FLAG_NONE));
  for (const auto& [definition, type] : attributes_)
    must(OTF2_GlobalDefWriter_WriteAttribute(d, definition.ref, definition.name, string(""), type));
  for (const Definition& definition : parameters_)
    must(OTF2_GlobalDefWriter_WriteParameter(d, definition.ref, definition.name, OTF2_PARAMETER_TYPE_UINT64));
  must(OTF2_Archive_CloseGlobalDefWriter(archive_, d));
  must(OTF2_Archive_Close(archive_));
}

}  // namespace hybrid
