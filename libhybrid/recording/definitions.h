// What a process's journals refer to: communicators, windows, regions, and facts about the run. Written
// beside the journals as it becomes known (never on the hot path), one record per write(2), so that it too
// survives SIGKILL.
//
// A recording is a directory (0700) of private files (0600):
//   rank-R.definitions        one per process
//   rank-R-thread-T.journal   one per thread that communicated
// Ids are the process's own, ascend in the order of creation and are never used twice. The trace writer
// matches communicators across processes by what made them (Origin) and their members, so that recording adds
// no communication to the program.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid {

inline constexpr std::uint32_t kWorldCommunicator =
    0;  // ids 0 and 1 are always MPI_COMM_WORLD and MPI_COMM_SELF
inline constexpr std::uint32_t kSelfCommunicator = 1;

/// A file of a running job's recording: the process that takes it away warns of the full disk, for all.
inline constexpr std::string_view kFullDiskToken = "full-disk-not-told";

/// "DIR/rank-R.definitions" and "DIR/rank-R-thread-T.journal".
std::string definitions_path(const std::string& directory, std::uint32_t rank);
std::string journal_path(const std::string& directory, std::uint32_t rank, std::uint32_t thread);

/// What made a communicator, in words that all its members share.
struct Origin {
  static constexpr std::uint32_t kNoParent = 0xFFFFFFFFu;
  /// The process's id of the communicator that it was made from, by a call that was collective over all of
  /// that one; kNoParent where none such is shared by its members.
  std::uint32_t parent = kNoParent;
  /// Which call it was: "3", the fourth such call on the parent, or "group 7", by the tag of a call that only
  /// the members of the new one make.
  std::string call;
  bool operator==(const Origin&) const = default;
};

/// One per process; calls may come from several threads. On a full disk a record waits in memory and goes
/// with the next one; nothing is reported.
class DefinitionWriter {
 public:
  /// Creates the file, which must not exist. Throws RunError.
  explicit DefinitionWriter(const std::string& path);
  ~DefinitionWriter();
  DefinitionWriter(const DefinitionWriter&) = delete;
  DefinitionWriter& operator=(const DefinitionWriter&) = delete;

  /// A fact: "ranks", "application", "arguments", "host", "mpi", "clock", "yield", "placement", "port", ...
  /// What a process counts ("live_*", "predicted_*", "unpredicted_*", "unrecorded_*") is summed up for the
  /// job.
  void property(std::string_view name, std::string_view value);
  /// `members`: world rank of each local rank; `remote` likewise for an intercommunicator, else empty.
  void communicator(std::uint32_t id, std::span<const std::int32_t> members,
                    std::span<const std::int32_t> remote = {}, const Origin& origin = {});
  /// Neighbours of a topology communicator, world ranks in the order of the neighbourhood collectives.
  void neighbors(std::uint32_t communicator, std::span<const std::int32_t> out,
                 std::span<const std::int32_t> in);
  void window(std::uint32_t id, std::uint32_t communicator);
  void region(std::uint32_t id, std::string_view name);

  /// What is told afterwards is forgotten.
  void close();

  /// Records that are not in the file: the disk is full.
  bool waits();

 private:
  void write_record(std::string_view record);
  std::mutex mutex_;
  std::string unwritten_;
  std::uint64_t length_ = 0;  // of the file's whole records
  int file_ = -1;
};

struct Definitions {
  struct Communicator {
    std::vector<std::int32_t> members, remote, neighbors_out, neighbors_in;
    Origin origin;
  };
  std::map<std::string, std::string, std::less<>> properties;
  std::map<std::uint32_t, Communicator> communicators;
  std::map<std::uint32_t, std::uint32_t> windows;  // id -> communicator
  std::map<std::uint32_t, std::string> regions;
};

/// Throws UserError for a missing or foreign file; a record cut at the end is ignored.
Definitions read_definitions(const std::string& path);

}  // namespace hybrid
