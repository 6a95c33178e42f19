#include "clang_plugin/wrappers/testing/commands.h"

#include <gtest/gtest.h>

#include <fstream>

#include "clang_plugin/pass/testing/compiled.h"

namespace hybrid::wrappers_test {

using pass_test::folder;
using pass_test::run;

const std::string kBin = HYBRID_TEST_BIN "/";

const char kProgram[] = R"x(
#include <mpi.h>
#include <stdio.h>
int next(int rank, int size);
int main(int argc, char** argv) {
  int rank, size, got[2] = {0, 0};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 3; ++i) {
#pragma hybrid phase(ring) pattern(shift, size - 3) preload
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got[0], 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma hybrid phase(sum)
    MPI_Allreduce(&got[0], &got[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
#pragma hybrid flush
  if (next(got[0], size) != rank) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) printf("%d %d\n", got[0], got[1]);
  MPI_Finalize();
  return 0;
}
)x";

const char kNext[] = "int next(int rank, int size) { return (rank + 1) % size; }\n";

const std::pair<int, std::string> kSilence{0, ""};

void write(const std::string& name, const std::string& text) { std::ofstream(folder() + "/" + name) << text; }

std::pair<int, std::string> here(const std::string& command) {
  return run("cd " + folder() + " && " + command);
}

std::string hints(const std::string& program) {
  return here(kBin + "hybrid hints " + program + " --nodes 4").second;
}

void record(const std::string& program, int ranks, const std::string& output) {
  const auto [code, words] =
      here("[ -p input ] || mkfifo input; " HYBRID_TEST_MPIEXEC " <>input -n " + std::to_string(ranks) +
           " -genv LD_PRELOAD " HYBRID_TEST_LIBRARY
           " -genv HYBRID_QUIET 1 -genv HYBRID_AT_FINALIZE trace -genv HYBRID_OUTPUT " +
           output + " ./" + program);
  ASSERT_EQ(code, 0) << words;
}

}  // namespace hybrid::wrappers_test
