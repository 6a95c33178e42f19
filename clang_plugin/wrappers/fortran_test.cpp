// hybridfort: directives in Fortran sources and included files, and the errors of wrong ones.
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
using wrappers_test::hints;
using wrappers_test::kBin;
using wrappers_test::kSilence;
using wrappers_test::record;
using wrappers_test::write;

TEST(Fortran, DirectivesGoFromTheSourceToTheRecording) {
  if (std::string(HYBRID_TEST_FLANG).empty()) GTEST_SKIP() << "there is no flang 19";
  std::filesystem::create_directories(folder() + "/sources");
  write("sources/count.inc", "      integer, parameter :: count = 1\n");
  // The phase of the solver is in fixed form, in a separate file.
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
  const std::string output = here(kBin + "hybrid hints fortran_ring --nodes 4").second;
  EXPECT_THAT(output,
              testing::ContainsRegex("ring +ring.f:5 +directive +[0-9]+ +shift .unknown., 1 slots, preload"));
  EXPECT_THAT(output, testing::ContainsRegex("all of it +main.f90:9 +directive +0 +connections .rank, "));
  EXPECT_THAT(output, testing::ContainsRegex("ring.f:7 +ring_ +MPI_Sendrecv +inspected +ring "));
  EXPECT_THAT(here(kBin + "hybrid hints sources/ring.o --json -").second, HasSubstr("\"name\": \"ring.f\""));
  EXPECT_THAT(here("readelf -SW sources/main.o").second, Not(HasSubstr(".debug_")))
      << "line tables are only for the hints";
  EXPECT_THAT(here(kBin + "hybridfort -g -c sources/main.f90 -o g.o && readelf -SW g.o").second,
              HasSubstr(".debug_line"));
  record("fortran_ring", 4, "fortran_of_4");
  EXPECT_THAT(here(kBin + "hybrid hints fortran_ring --check fortran_of_4").second,
              testing::ContainsRegex("ring +4 +4 +100.0 % +100.0 % +12 +100.0 %"))
      << "the mark passes n, and an inspector computes the peer";
}

// Peers in allocatable components, in a common block, received into a member of one, and received by an
// operation that began before.
TEST(Fortran, PeersInAllocatablesAndCommonBlocks) {
  if (std::string(HYBRID_TEST_FLANG).empty()) GTEST_SKIP() << "there is no flang 19";
  write("tables.f90", R"x(module domains
  implicit none
  include 'mpif.h'
  type domain
    integer :: count = 0
    integer, allocatable :: peer(:)
  end type
  type(domain), allocatable :: parts(:)
  integer :: other, partner, early(2), me, n, e
  common /shared/ other, partner, early, me, n
contains
  subroutine allocated(x, y)
    integer :: x(2), y(2), i, q(4)
    do i = 1, parts(1)%count
      call MPI_Irecv(y(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, q(i), e)
      call MPI_Isend(x(i), 1, MPI_INTEGER, parts(1)%peer(i), 1, MPI_COMM_WORLD, q(2 + i), e)
    end do
    call MPI_Waitall(4, q, MPI_STATUSES_IGNORE, e)
  end subroutine
  subroutine received(x)
    integer :: x(2), from
    from = mod(me + n - 1, n)
    call MPI_Sendrecv(x, 1, MPI_INTEGER, mod(me + 1, n), 2, partner, 1, MPI_INTEGER, from, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call MPI_Sendrecv(me, 1, MPI_INTEGER, mod(me + partner, n), 3, x(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 3, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
  end subroutine
  subroutine completed(x)
    integer :: x(2)
    call MPI_Waitall(2, early, MPI_STATUSES_IGNORE, e)
    call MPI_Sendrecv(me, 1, MPI_INTEGER, mod(me + partner, n), 4, x(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 4, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
  end subroutine
end module
program tables
  use domains
  implicit none
  integer :: x(2), y(2), i
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, e)
  call MPI_Comm_size(MPI_COMM_WORLD, n, e)
  allocate(parts(1))
  allocate(parts(1)%peer(2))
  parts(1)%count = 2
  parts(1)%peer = (/ mod(me + 1, n), mod(me + n - 1, n) /)
  do i = 1, 3
    x = 2
    call allocated(x, y)
    call received(x)
    partner = 1
    x = 2
    call MPI_Irecv(partner, 1, MPI_INTEGER, mod(me + n - 1, n), 5, MPI_COMM_WORLD, early(1), e)
    call MPI_Isend(x, 1, MPI_INTEGER, mod(me + 1, n), 5, MPI_COMM_WORLD, early(2), e)
    call completed(y)
  end do
  call MPI_Finalize(e)
end program
)x");
  ASSERT_EQ(here(kBin + "hybridfort -w -O2 tables.f90 -o tables"), kSilence);
  record("tables", 5, "tables_of_5");
  const std::string output = here(kBin + "hybrid hints tables --check tables_of_5").second;
  EXPECT_THAT(output, testing::ContainsRegex("allocated +10 +10 +100.0 % +100.0 % +30 +100.0 %"));
  EXPECT_THAT(output, testing::ContainsRegex("tables.f90:25 [^\n]* dynamic "))
      << "the peer is received into the second member of a common block";
  EXPECT_THAT(output, testing::ContainsRegex("tables.f90:31 [^\n]* speculative "));
  EXPECT_THAT(output, Not(testing::ContainsRegex("tables.f90:(25|31) [^\n]* inspected ")));
}

TEST(Fortran, WrongDirectivesAndModulesAreReportedInOneLine) {
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
                              "', which has gfortran's format; use include 'mpif.h' instead\n1\n"));
  }
  write("other.f90", "program p\n  use other_mpi\nend program\n");
  EXPECT_THAT(here(kBin + "hybridfort -c other.f90").second, HasSubstr("other_mpi"));
}

TEST(Fortran, DirectivesOfIncludedFilesBelongToTheirProcedure) {
  if (std::string(HYBRID_TEST_FLANG).empty()) GTEST_SKIP() << "there is no flang 19";
  std::filesystem::create_directories(folder() + "/included/deep");
  std::filesystem::create_directories(folder() + "/found");
  // The same name in another folder: flang does not find this file.
  write("ring.inc", "this is no Fortran\n");
  write("included/main.F90",
        "program main\n  implicit none\n  include 'mpif.h'\n  integer :: me, e, i\n  call MPI_Init(e)\n"
        "  call MPI_Comm_rank(MPI_COMM_WORLD, me, e)\n  do i = 1, 3\n    include 'ring.inc'\n"
        "    call MPI_Send(me, 1, MPI_INTEGER, me + 1, 0, MPI_COMM_WORLD, e)\n    !hyb$ end\n"
        "#include \"deep/next.inc\"\n  end do\n  call other(me, e)\n  call MPI_Finalize(e)\nend program\n");
  write("included/other.f",
        "      subroutine other(me, e)\n      include 'mpif.h'\n      integer me, e\n"
        "      include 'begin.inc'\n"
        "      call MPI_Send(me, 1, MPI_INTEGER, me + 3, 0, MPI_COMM_WORLD, e)\n      end\n");
  write("included/ring.inc", "\n!hyb$ phase(ring) preload\n");
  write("included/deep/next.inc",
        "  include 'two.inc'\n\n  call MPI_Send(me, 1, MPI_INTEGER, me + 2, 0, MPI_COMM_WORLD, e)\n");
  write("included/deep/two.inc", "!hyb$ phase(two) connections(me -> me + 2)\n");
  write("found/begin.inc", "\n\n!hyb$ phase(begun) pattern(ring)\n");
  ASSERT_EQ(here(kBin + "hybridfort -Ifound included/main.F90 included/other.f -o included_phases"),
            kSilence);
  const std::string output = hints("included_phases");
  // flang's line numbers are those of the included file, together with the name of the procedure's file.
  for (const char* const line :
       {"main.F90:9 +main +MPI_Send +[a-z]+ +ring ", "main.F90:3 .* two ",
        "other.f:5 +other_ +MPI_Send +[a-z]+ +begun ", "ring +main.F90:2 +directive .*preload",
        "two +main.F90:1 +directive .*connections ", "begun +other.f:3 +directive .*ring"})
    EXPECT_THAT(output, testing::ContainsRegex(line));
}

TEST(Fortran, WrongDirectivesOfIncludedFilesAreReportedWithTheirFile) {
  if (std::string(HYBRID_TEST_FLANG).empty()) GTEST_SKIP() << "there is no flang 19";
  std::filesystem::create_directories(folder() + "/wrong");
  write("wrong/rng.inc", "\n!hyb$ phase(x) pattern(rng)\n");
  write("wrong/type.inc", "!hyb$ phase(x) slots(n%a)\n");
  const std::string compile = kBin + "hybridfort -c wrong/includes.f90 2>&1; echo $?";
  write("wrong/includes.f90", "subroutine s(n)\n  include 'rng.inc'\nend subroutine\n");
  EXPECT_THAT(
      here(compile).second,
      AllOf(testing::StartsWith("wrong/rng.inc:2:24: error: unknown pattern 'rng' of '!hyb$'; did you mean "
                                "'ring'?\n  !hyb$ phase(x) pattern(rng)\n"),
            HasSubstr("^\nwrong/includes.f90:2:1: error: included here\n")));
  write("wrong/includes.f90", "subroutine s(n)\n  include 'type.inc'\nend subroutine\n");
  EXPECT_THAT(here(compile).second,
              AllOf(HasSubstr("wrong/type.inc:1:"), HasSubstr("error: 'n' is not an object of derived type"),
                    Not(HasSubstr("hybridcc-"))));
  // Text that an #if skips causes no error.
  for (const bool is_read : {true, false}) {
    write("wrong/includes.f90", "subroutine s(n)\n#if " + std::to_string(is_read) +
                                    "\n#include \"rng.inc\"\n#endif\nend subroutine\n");
    const std::string output = here(compile).second;
    if (is_read)
      EXPECT_THAT(output,
                  AllOf(HasSubstr("wrong/rng.inc:2:"), HasSubstr("unknown pattern 'rng' of '!hyb$'")));
    else
      EXPECT_EQ(output, "0\n");
  }
  write("wrong/includes.f90", "subroutine s(n)\n  include 'nowhere'\n!hyb$ flush\nend subroutine\n");
  EXPECT_THAT(here(compile).second,
              HasSubstr("wrong/includes.f90:2:1: error: INCLUDE: Source file 'nowhere' was not found"));
}

}  // namespace
}  // namespace hybrid
