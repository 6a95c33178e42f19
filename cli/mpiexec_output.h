// How a job under MPICH's mpiexec (Hydra) ended, from the lines that mpiexec prints. Its exit code is the
// bitwise or of those of the ranks, and the number of a signal is not distinguishable from an exit code.
//
//   MpiexecOutput output;
//   const ChildEnd end = run_child(command, false, output.filter());
//   if (!end.good()) throw RunError(output.how_it_ended("./my_app", end));
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/child.h"
#include "cli/output_copy.h"

namespace hybrid {

/// "SIGKILL (signal 9)".
std::string signal_text(int signal);

class MpiexecOutput {
 public:
  /// The option with which mpiexec prints the wait status of each rank.
  static constexpr std::string_view kOption = "-print-all-exitcodes";

  /// Notes the lines of mpiexec and of MPI_Abort; the line of kOption is not copied. Refers to this object.
  LineFilter filter();
  /// Reads a line. Returns whether the user should see it.
  bool read(std::string_view line);

  /// The options of mpiexec that the user gave are wrong.
  bool rejects_options() const { return !rejected_.empty(); }
  /// A job that ended badly: "'./my_app' ended by SIGKILL (signal 9) on rank 1", "mpiexec rejected its
  /// options: unknown option -frob". `deaths`: ranks in the order in which their processes ended, as far as
  /// it is known.
  std::string how_it_ended(const std::string& program, const ChildEnd& end,
                           const std::vector<std::uint32_t>& deaths = {}) const;

 private:
  std::string failed_ranks(const std::vector<std::uint32_t>& deaths) const;

  std::vector<int> statuses_;       // of waitpid(), by rank; empty: unknown
  std::string rejected_, failure_;  // the first message of mpiexec about its options, and any other
  std::string abort_rank_;
};

}  // namespace hybrid
