// Definitions of a process: the communicators, windows, regions and call sites to which its journals refer,
// and facts about the run. They are written when they become known (never on the hot path), with one write(2)
// per record, so that they survive SIGKILL like the journals.
//
// A recording is a directory (0700) of private files (0600):
//   rank-R.definitions        one per process
//   rank-R-thread-T.journal   one per thread that communicated
// Ids are local to the process, ascend in the order of creation and are never reused. The trace writer
// matches communicators of different processes by their origin and their members, so that recording adds no
// communication to the program.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/connection.h"

namespace hybrid {

// Ids 0 and 1 are always MPI_COMM_WORLD and MPI_COMM_SELF.
inline constexpr std::uint32_t kWorldCommunicator = 0;
inline constexpr std::uint32_t kSelfCommunicator = 1;

/// An empty file in the recording of a job. The process that creates it reports the full disk for all
/// processes.
inline constexpr std::string_view kFullDiskMark = "full-disk-reported";

/// "DIR/rank-R.definitions" and "DIR/rank-R-thread-T.journal".
std::string definitions_path(const std::string& directory, std::uint32_t rank);
std::string journal_path(const std::string& directory, std::uint32_t rank, std::uint32_t thread);

/// The call that made a communicator, in a form that is equal for all members.
struct Origin {
  static constexpr std::uint32_t kNoParent = 0xFFFFFFFFu;
  /// The process's id of the parent, the communicator over which the call was collective. kNoParent: the
  /// members do not share one.
  std::uint32_t parent = kNoParent;
  /// The number of the call on the parent: "3" is the fourth. Or "group 7", with the tag of a call that only
  /// the members of the new communicator make.
  std::string call;
  bool operator==(const Origin&) const = default;
};

/// A call of MPI in the program.
struct CallSiteAddress {
  std::string object;         // path of the program or shared library
  std::uint64_t address = 0;  // of the call, as the object's symbol table counts
  std::string symbol;         // the dynamic symbol before it; "" if there is none
  std::string function{};     // that is called, such as "MPI_Waitany"; "" if it is not known
  auto operator<=>(const CallSiteAddress&) const = default;
};

/// Writes the definitions of a process. Thread-safe. On a full disk a record stays in memory and is written
/// with the next one; no error is reported.
class DefinitionWriter {
 public:
  /// Creates the file, which must not exist. Throws RunError.
  explicit DefinitionWriter(const std::string& path);
  ~DefinitionWriter();
  DefinitionWriter(const DefinitionWriter&) = delete;
  DefinitionWriter& operator=(const DefinitionWriter&) = delete;

  /// A fact: "ranks", "application", "arguments", "host", "mpi", "clock", "yield", "placement", "port", ...
  /// Counts
  /// ("inspections*", "live_*", "predicted_*", "unpredicted_*", "unrecorded_*") are summed up for the job.
  void property(std::string_view name, std::string_view value);
  /// `members`: the world rank of each local rank. `remote`: the same of the other group of an
  /// intercommunicator, otherwise empty.
  void communicator(std::uint32_t id, std::span<const std::int32_t> members,
                    std::span<const std::int32_t> remote = {}, const Origin& origin = {});
  /// Neighbours in a topology communicator: world ranks in the order of the neighbourhood collectives.
  void neighbors(std::uint32_t communicator, std::span<const std::int32_t> out,
                 std::span<const std::int32_t> in);
  void window(std::uint32_t id, std::uint32_t communicator);
  void region(std::uint32_t id, std::string_view name);
  void call_site(std::uint32_t id, const CallSiteAddress& site);

  /// Closes the file. Later records are dropped.
  void close();

  /// True if records are not in the file yet, since the disk is full.
  bool has_unwritten();

 private:
  void write_record(std::string_view record);
  void write_line(std::string_view line);
  std::mutex mutex_;
  std::string unwritten_;
  std::uint32_t chain_ = 0;   // checksum of all records
  std::uint64_t length_ = 0;  // of the complete records in the file
  int file_ = -1;
};

struct Definitions {
  struct Communicator {
    std::vector<std::int32_t> members, remote, neighbors_out, neighbors_in;
    Origin origin;
  };
  std::map<std::string, std::string, std::less<>> properties;
  std::map<std::uint32_t, Communicator> communicators;
  std::map<std::uint32_t, std::uint32_t> windows;  // by id: the communicator
  std::map<std::uint32_t, std::string> regions;
  std::map<std::uint32_t, CallSiteAddress> call_sites;
};

/// The line of a record: with the checksum of it and of the records before it, which is in `chain` (0 at
/// first).
std::string with_checksum(std::string_view record, std::uint32_t& chain);

/// Reads a definitions file. A truncated record at the end is ignored. Throws UserError for a missing,
/// foreign or damaged file.
Definitions read_definitions(const std::string& path);

/// Name of the last property of a process that finalized MPI.
inline constexpr std::string_view kFinalized = "finalized";

/// Name of the property with the ports of all ranks. Every process writes all of it, so that the report needs
/// the definitions of only one process.
inline constexpr std::string_view kPortMap = "ports";

/// Value of kPortMap: runs of consecutive ports in order of rank. {0, 1, 2, 7} is "0-2 7".
std::string encode_ports(std::span<const Port> port_of_rank);
/// The ports of a value. Empty for any other text, and for more than `ranks` ports.
std::vector<Port> decode_ports(std::string_view text, std::uint32_t ranks);

}  // namespace hybrid
