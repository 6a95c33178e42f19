// hybridfort: directives in Fortran's sources, and what is told of wrong ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "clang_plugin/pass/testing/compiled.h"
#include "clang_plugin/wrappers/testing/commands.h"

namespace hybrid {
namespace {

using pass_test::folder;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using wrappers_test::here;
using wrappers_test::kBin;
using wrappers_test::kSilence;
using wrappers_test::record;
using wrappers_test::write;

TEST(Fortran, DirectivesGoFromTheSourceToTheRecording) {
  if (std::string(HYBRID_TEST_FLANG).empty()) GTEST_SKIP() << "there is no flang 19";
  std::filesystem::create_directories(folder() + "/sources");
  write("sources/count.inc", "      integer, parameter :: count = 1\n");
  // The phase of the solver is in fixed form, in a file of its own.
  write("sources/ring.f",
        "      subroutine ring(me, n)\n      include 'mpif.h'\n      include 'count.inc'\n"
        "      integer me, n, got, e, s(MPI_STATUS_SIZE)\n"
        "Chyb$ phase(ring) preload slots(1)\n!hyb$& pattern(shift, n - 3)\n"
        "      call MPI_Sendrecv(me, count, MPI_INTEGER, mod(me + 1, n), 0,\n"
        "     & got, count, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, s, e)\n"
        "!hyb$ end\n      end\n");
  write("sources/main.f90",
        "program main\n  implicit none\n  include 'mpif.h'\n  integer :: me, n, e, i\n  call MPI_Init(e)\n"
        "  call MPI_Comm_rank(MPI_COMM_WORLD, me, e)\n  call MPI_Comm_size(MPI_COMM_WORLD, n, e)\n"
        "  do i = 1, 3\n    !hyb$ phase('all of it') &\n    !hyb$   connections(rank -> mod(rank + n / 2, "
        "size)) "
        "condition(n > 2)\n    call ring(me, n)\n  end do\n  !HYB$ FLUSH\n  call MPI_Finalize(e)\n"
        "end program\n");
  ASSERT_EQ(here("cd sources && " + kBin + "hybridfort -O2 -c main.f90 ring.f && " + kBin +
                 "hybridfort main.o ring.o -o ../fortran_ring"),
            kSilence);
  const std::string told = here(kBin + "hybrid hints fortran_ring --nodes 4").second;
  EXPECT_THAT(
      told, testing::ContainsRegex("ring +ring.f:5 +directive +[0-9]+ +shift .size - 3., 1 slots, preload"));
  EXPECT_THAT(told,
              testing::ContainsRegex("all of it +main.f90:9 +directive +0 +connections .rank, \\(rank \\+ "
                                     "size / 2\\) % size., if 2 < size +1 +shift 2, 4 connections"));
  EXPECT_THAT(told,
              testing::ContainsRegex("ring.f:7 +ring_ +MPI_Sendrecv +static +ring +\\(rank \\+ 1\\) % size"));
  EXPECT_THAT(here(kBin + "hybrid hints sources/ring.o").second, testing::StartsWith("ring.f\n"));
  EXPECT_THAT(here("readelf -SW sources/main.o").second, Not(HasSubstr(".debug_")))
      << "the lines are the hints'";
  EXPECT_THAT(here(kBin + "hybridfort -g -c sources/main.f90 -o g.o && readelf -SW g.o").second,
              HasSubstr(".debug_line"));
  record("fortran_ring", 4, "fortran_of_4");
  EXPECT_THAT(here(kBin + "hybrid hints fortran_ring --check fortran_of_4").second,
              testing::ContainsRegex("ring +4 +4 +100.0 % +100.0 % +12 +100.0 %"));
}

TEST(Fortran, WrongDirectivesAndModulesAreToldInALine) {
  if (std::string(HYBRID_TEST_FLANG).empty()) GTEST_SKIP() << "there is no flang 19";
  write("wrong.f90", "subroutine s(n)\n  !hyb$ phase(x) pattern(rng)\nend subroutine\n");
  EXPECT_THAT(here(kBin + "hybridfort -c wrong.f90 2>&1; echo $?").second,
              testing::StartsWith("wrong.f90:2:26: error: unknown pattern 'rng' of '!hyb$'; did you mean "
                                  "'ring'?\n    !hyb$ phase(x) pattern(rng)\n"));
  write("type.f90", "subroutine s(n)\n  !hyb$ phase(x) slots(n%a)\nend subroutine\n");
  EXPECT_THAT(here(kBin + "hybridfort -c type.f90").second,
              AllOf(HasSubstr("type.f90:2:"), HasSubstr("error: 'n' is not an object of derived type"),
                    Not(HasSubstr("hybridcc-"))));
  for (const std::string module : {"mpi", "mpi_f08"}) {
    write("module.f90", "program p\n  use " + module + "\n  call MPI_Init()\nend program\n");
    EXPECT_THAT(
        here(kBin + "hybridfort -c module.f90 2>&1; echo $?").second,
        testing::MatchesRegex(".*module.f90:2:7: error: flang cannot read the module file of '" + module +
                              "', which is gfortran's; write include 'mpif.h' in its place\n1\n"));
  }
  write("other.f90", "program p\n  use other_mpi\nend program\n");
  EXPECT_THAT(here(kBin + "hybridfort -c other.f90").second, HasSubstr("other_mpi"));
}

}  // namespace
}  // namespace hybrid
