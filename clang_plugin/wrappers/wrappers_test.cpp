// hybridcc, hybridcxx and hybridfort in the places of a compiler; and the whole way of a hint, from a
// directive to what the library records of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "clang_plugin/pass/testing/compiled.h"

namespace hybrid {
namespace {

using pass_test::folder;
using pass_test::run;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kBin = HYBRID_TEST_BIN "/";

void write(const std::string& name, const std::string& text) { std::ofstream(folder() + "/" + name) << text; }

/// A command in the test's folder.
std::pair<int, std::string> here(const std::string& command) {
  return run("cd " + folder() + " && " + command);
}

const std::pair<int, std::string> kSilence{0, ""};

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
    MPI_Sendrecv(&rank, 1, MPI_INT, next(rank, size), 0, &got[0], 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma hybrid phase(sum)
    MPI_Allreduce(&got[0], &got[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
#pragma hybrid flush
  if (rank == 0) printf("%d %d\n", got[0], got[1]);
  MPI_Finalize();
  return 0;
}
)x";
const char kNext[] = "int next(int rank, int size) { return (rank + 1) % size; }\n";

std::string hints(const std::string& program) {
  return here(kBin + "hybrid hints " + program + " --nodes 4").second;
}

TEST(Wrappers, CompileAndLinkAtOnceAndInSteps) {
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here(kBin + "hybridcc -Wall -Wextra -O2 program.c next.c -o at_once"), kSilence);
  ASSERT_EQ(here(kBin + "hybridcc -c -O1 program.c && " + kBin + "hybridcc -c next.c -o next.o && " + kBin +
                 "hybridcc program.o next.o -o in_steps"),
            kSilence);
  // The destination is a function's of another unit: only the program as a whole tells it.
  for (const char* const program : {"at_once", "in_steps"})
    EXPECT_THAT(hints(program), AllOf(HasSubstr("(the whole program)"),
                                      HasSubstr("MPI_Sendrecv   static  ring   (rank + 1) % size")))
        << program;
  EXPECT_FALSE(std::filesystem::exists(folder() + "/hints.o")) << "nothing is left beside the program";
}

TEST(Wrappers, TakeArchivesAndSharedLibrariesAndResponseFiles) {
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here(kBin + "hybridcc -c next.c && ar rc libnext.a next.o && " + kBin +
                 "hybridcc program.c libnext.a -o archived"),
            kSilence);
  EXPECT_THAT(hints("archived"), HasSubstr("(rank + 1) % size"));
  write("arguments", "-O2 -DNAME=\"two words\" next.c -shared -fPIC\n-o libnext.so");
  ASSERT_EQ(here(kBin + "hybridcc @arguments && " + kBin + "hybridcc program.c ./libnext.so -o shared"),
            kSilence);
  EXPECT_THAT(hints("shared"), HasSubstr("MPI_Sendrecv   dynamic"))
      << "what is in the library may be another one";
}

TEST(Wrappers, ReadWhatIsLeftForTheLinkerToCompile) {
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here(kBin + "hybridcc -O2 -flto -c program.c -o program_flto.o && " + kBin +
                 "hybridcc -O2 -flto -c next.c -o next_flto.o && ar rcS libflto.a next_flto.o && " + kBin +
                 "hybridcc -fno-hybrid -O2 -flto -c next.c -o next_foreign.o && " + kBin +
                 "hybridcc -O2 -c next.c -o next_object.o"),
            kSilence);
  // What is linked is the linker's affair; here what the step before it makes of the files.
  const auto told = [](const std::string& files) {
    EXPECT_EQ(here(kBin + "hybrid-link-hints -o flto_hints.o --name flto " + files), kSilence) << files;
    return hints("flto_hints.o");
  };
  for (const std::string next : {"next_flto.o", "libflto.a", "next_object.o"})
    EXPECT_THAT(told("program_flto.o " + next),
                AllOf(HasSubstr("(the whole program)"), HasSubstr("(rank + 1) % size")))
        << next;
  EXPECT_THAT(told("program_flto.o next_foreign.o"), HasSubstr("MPI_Sendrecv   dynamic"));
}

TEST(Wrappers, StopWhereTheCompilerDoes) {
  write("next.c", kNext);
  EXPECT_THAT(here(kBin + "hybridcc -E next.c").second, HasSubstr("return (rank + 1) % size;"));
  ASSERT_EQ(here(kBin + "hybridcc -S next.c -o next.s"), kSilence);
  EXPECT_TRUE(std::filesystem::exists(folder() + "/next.s"));
  EXPECT_EQ(here(kBin + "hybridcc -fsyntax-only next.c"), kSilence);
  ASSERT_EQ(
      here("mkdir -p there && " + kBin + "hybridcc -MD -c next.c -o there/next.o && cat there/next.d").first,
      0);
  EXPECT_THAT(here(kBin + "hybridcc --version").second, HasSubstr("clang version 19"));
  EXPECT_THAT(here(kBin + "hybridcc -show next.c -o next").second,
              AllOf(HasSubstr("-fplugin="), HasSubstr("-lmpich")));
  EXPECT_THAT(here(kBin + "hybridcc -fno-hybrid -show next.c").second, Not(HasSubstr("-fplugin")));
  const auto [wrong, words] = here(kBin + "hybridcc -c no_such_file.c");
  EXPECT_NE(wrong, 0);
  EXPECT_THAT(words, HasSubstr("no_such_file.c"));
}

TEST(Wrappers, RefuseUnknownOptionsOfTheirOwnAndMissingCompilers) {
  write("next.c", kNext);
  EXPECT_THAT(here(kBin + "hybridcc -fhybrid-speed -c next.c 2>&1; echo $?").second,
              AllOf(HasSubstr("hybridcc: unknown option '-fhybrid-speed'; known: "), HasSubstr("\n2\n")));
  EXPECT_THAT(
      here("HYBRID_CC=no-such-clang " + kBin + "hybridcc -c next.c 2>&1; echo $?").second,
      AllOf(HasSubstr("hybridcc: no compiler 'no-such-clang'. Install clang 19"), HasSubstr("\n2\n")));
}

TEST(Wrappers, RefuseCompilersOfAnotherVersion) {
  write("next.c", kNext);
  write("old-clang", "#!/bin/sh\necho 'clang version 14.0.6'\n");
  const std::string old = "chmod +x old-clang && HYBRID_CC=./old-clang " + kBin + "hybridcc ";
  EXPECT_THAT(
      here(old + "-c next.c 2>&1; echo $?").second,
      AllOf(
          HasSubstr("hybridcc: HYBRID_CC=./old-clang is 'clang version 14.0.6'; the plugin is for clang 19"),
          HasSubstr("\n2\n")));
  EXPECT_EQ(here(old + "-fno-hybrid -c next.c").second, "clang version 14.0.6\n")
      << "it is the user's to choose";
  EXPECT_EQ(here("HYBRID_CC=clang-19 " + kBin + "hybridcc -c next.c"), kSilence);
}

TEST(Wrappers, AreKnownToTheDoctor) {
  const std::string told = here(kBin + "hybrid doctor").second;
  EXPECT_THAT(told, testing::ContainsRegex("ok +hybridcc +/"));
  EXPECT_THAT(told, testing::ContainsRegex(std::string(HYBRID_TEST_FLANG).empty() ? "note +hybridfort"
                                                                                  : "ok +hybridfort +/"));
}

TEST(Wrappers, KeepLanguagesNamesAndDependenciesAsGiven) {
  write("program.c", kProgram);
  write("next.text", kNext);
  std::filesystem::create_directories(folder() + "/a-hybrid");
  ASSERT_EQ(
      here(
          kBin +
          "hybridcc -Ia-hybrid -La-hybrid -x c next.text -x none program.c -MMD -MFfound.d -o a-hybrid/made"),
      kSilence);
  EXPECT_THAT(hints("a-hybrid/made"), HasSubstr("(rank + 1) % size"));
  EXPECT_THAT(here("cat found.d").second, HasSubstr("program.c"));
  EXPECT_EQ(here(kBin + "hybridcc -c -x c next.text -o next_text.o"), kSilence);
  EXPECT_THAT(here(kBin + "hybridcc -show '-DTEXT=\"a b\"' program.c").second,
              HasSubstr("-DTEXT=\\\"a\\ b\\\""));
  EXPECT_THAT(here(kBin + "hybridcc program.c -o").second, HasSubstr("argument to '-o' is missing"));
}

TEST(Wrappers, ALibraryByNameIsReadAsItsFileIs) {
  write("program.c", kProgram);
  write("next.c", kNext);
  // The same library twice, as with libraries that need each other.
  ASSERT_EQ(here(kBin + "hybridcc -c next.c && ar rcs libnext.a next.o && " + kBin +
                 "hybridcc program.c -L . -lnext -l next libnext.a ./libnext.a -o by_name"),
            kSilence);
  EXPECT_THAT(hints("by_name"), HasSubstr("MPI_Sendrecv   static  ring   (rank + 1) % size"));
}

TEST(Wrappers, LeaveWhatAPlainCompilerLeavesBesideItsOutput) {
  write("side.c", "int main(void) { return 0; }\n");
  ASSERT_EQ(here(kBin + "hybridcc --coverage -g -gsplit-dwarf side.c -o side"), kSilence);
  for (const char* const file : {"side-side.gcno", "side-side.dwo"})
    EXPECT_TRUE(std::filesystem::exists(folder() + "/" + file)) << file;
  EXPECT_EQ(here("./side"), kSilence);
  EXPECT_TRUE(std::filesystem::exists(folder() + "/side-side.gcda"));
}

TEST(Wrappers, TakeTheEndOfOptionsAndOnlyShowCommands) {
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here(kBin + "hybridcc -o ended -- program.c next.c"), kSilence);
  EXPECT_THAT(hints("ended"), HasSubstr("(rank + 1) % size"));
  const auto [code, words] = here(kBin + "hybridcc -### program.c next.c -o unmade");
  EXPECT_EQ(code, 0) << words;
  EXPECT_THAT(words, AllOf(HasSubstr("libhybrid_clang.so"), Not(HasSubstr("error:"))));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/unmade"));
}

TEST(Wrappers, SayWhyACallCouldNotBeAnalysed) {
  write("unknown.c",
        "#include <mpi.h>\n#include <stdlib.h>\nvoid f(int to) {\n  MPI_Send(&to, 1, MPI_INT, to, 0, "
        "MPI_COMM_WORLD);\n  MPI_Send(&to, 1, MPI_INT, rand(), 0, MPI_COMM_WORLD);\n"
        "  MPI_Send(&to, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);\n}\n");
  const auto [code, words] = here(kBin + "hybridcc -Rhybrid -c unknown.c");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(words, testing::ContainsRegex("unknown.c:4:3: remark: MPI_Send is known when its message "
                                            "leaves: .*argument of f.*whole program may tell"));
  EXPECT_THAT(words, testing::ContainsRegex(
                         "unknown.c:5:3: remark: .*rand.*#pragma hybrid phase.*connections.* can tell"));
  EXPECT_THAT(words, Not(HasSubstr("unknown.c:6:")));
  EXPECT_EQ(here(kBin + "hybridcc -c unknown.c"), kSilence);
}

TEST(Wrappers, AreCompilersForMakeAndCMake) {
  const std::string project = folder() + "/project";
  std::filesystem::create_directories(project);
  write("project/main.c", kProgram);
  write("project/next.c", kNext);
  write("project/Makefile", "CC = " + kBin + "hybridcc\nmade: main.o next.o\n\t$(CC) $(CFLAGS) -o $@ $^\n");
  ASSERT_EQ(here("make -s -C project CFLAGS=-O2"), kSilence);
  EXPECT_THAT(hints("project/made"), HasSubstr("(rank + 1) % size"));
  write("project/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.16)\nproject(p C)\nadd_executable(built main.c next.c)\n");
  const auto [code, words] =
      here("cmake -S project -B project/build -DCMAKE_C_COMPILER=" + kBin +
           "hybridcc >log 2>&1 && cmake --build project/build >>log 2>&1 || { cat log; false; }");
  ASSERT_EQ(code, 0) << words;
  EXPECT_THAT(hints("project/build/built"), HasSubstr("(rank + 1) % size"));
}

// What a configure script of autoconf's kind asks of a compiler, and what it makes of the answers.
const char kConfigure[] = R"x(#!/bin/sh
fail() { echo "configure: error: $1" >&2; cat config.log >&2; exit 77; }
: >config.log
echo 'int main(void) { return 0; }' >conftest.c
$CC $CFLAGS conftest.c >>config.log 2>&1 && test -f a.out && ./a.out || fail "C compiler cannot create executables"
rm -f a.out
$CC -c $CFLAGS conftest.c >>config.log 2>&1 && test -f conftest.o || fail "no object file"
$CC -v >>config.log 2>&1 || fail "-v"
$CC --version </dev/null >>config.log 2>&1 || fail "--version"
$CC -E conftest.c >conftest.i 2>>config.log && grep main conftest.i >/dev/null || fail "C preprocessor"
printf '#ifndef __GNUC__\nchoke me\n#endif\n' >conftest.c
$CC -c conftest.c >>config.log 2>&1 || fail "not taken for GNU C"
echo 'choke me' >conftest.c
$CC -c conftest.c >>config.log 2>&1 && fail "takes what is no C"
echo '#include <no_such_header.h>' >conftest.c
$CC -E conftest.c >/dev/null 2>>config.log && fail "takes headers that are not there"
printf '#include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n' >conftest.c
$CC -o conftest $CFLAGS conftest.c >>config.log 2>&1 && test -x conftest || fail "no MPI"
printf 'int no_such_function(void);\nint main(void) { return no_such_function(); }\n' >conftest.c
$CC -o conftest conftest.c >>config.log 2>&1 && fail "links what is not there"
printf '#include <math.h>\nint main(int c, char** v) { (void)v; return cos(c) > 2; }\n' >conftest.c
$CC -o conftest $CFLAGS conftest.c -lm >>config.log 2>&1 || fail "no libm"
echo 'int x;' >conftest.c
test -z "`$CC -c -Werror -fPIC -DPIC conftest.c 2>&1`" || fail "-fPIC -DPIC"
$CC -shared -fPIC conftest.c -o libconftest.so >>config.log 2>&1 && test -f libconftest.so || fail "no shared libraries"
$CC -MT conftest.o -MD -MP -MF conftest.Tpo -c -o conftest.o conftest.c >>config.log 2>&1 && grep conftest.c conftest.Tpo \
  >/dev/null || fail "no dependency style"
rm -rf conftest* libconftest.so
printf 'CC = %s\nCFLAGS = %s\nmade: main.o next.o\n\t$(CC) $(CFLAGS) -o $@ main.o next.o\n' "$CC" "$CFLAGS" >Makefile
printf '.c.o:\n\t$(CC) $(CFLAGS) -MT $@ -MD -MP -MF $*.Tpo -c -o $@ $<\n' >>Makefile
)x";

TEST(Wrappers, AreACompilerForAConfigureScript) {
  std::filesystem::create_directories(folder() + "/configured");
  write("configured/configure", kConfigure);
  write("configured/main.c", kProgram);
  write("configured/next.c", kNext);
  ASSERT_EQ(here("cd configured && CC=" + kBin + "hybridcc CFLAGS='-g -O2' sh ./configure && make -s"),
            kSilence);
  EXPECT_THAT(hints("configured/made"), HasSubstr("(rank + 1) % size"));
}

TEST(Wrappers, WorkFromAnInstalledPrefix) {
  // What `cmake --install` makes of a build: only the parts that compile are asked for here.
  const std::string prefix = folder() + "/prefix", moved = folder() + "/moved";
  ASSERT_EQ(here("cmake --install " HYBRID_TEST_BUILD " --component hybrid_compilers --prefix " + prefix +
                 " >install.log 2>&1 || { cat install.log; false; }"),
            kSilence);
  std::filesystem::rename(prefix, moved);
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here("moved/bin/hybridcc program.c next.c -o from_prefix"), kSilence);
  EXPECT_THAT(hints("from_prefix"), AllOf(HasSubstr("(the whole program)"), HasSubstr("(rank + 1) % size")));
  EXPECT_THAT(here("moved/bin/hybridcc -show next.c").second,
              HasSubstr(moved + "/bin/../lib/libhybrid_clang.so"));
  if (std::string(HYBRID_TEST_FLANG).empty()) return;
  write("flush.f90", "subroutine s\n  !hyb$ flush\nend subroutine\n");
  EXPECT_EQ(here("moved/bin/hybridfort -c flush.f90 -o flush.o"), kSilence);
}

TEST(Wrappers, CompileCppAndFortran) {
  write("program.cpp",
        "#include <mpi.h>\n#include <vector>\nint main(int c, char** v) {\n  MPI_Init(&c, &v);\n  int rank;\n"
        "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  std::vector<int> b(4);\n"
        "  MPI_Send(b.data(), 4, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);\n  MPI_Finalize();\n}\n");
  ASSERT_EQ(here(kBin + "hybridcxx -std=c++20 program.cpp -o cpp"), kSilence);
  EXPECT_THAT(hints("cpp"), HasSubstr("rank ^ 1"));
  if (std::string(HYBRID_TEST_FLANG).empty()) return;  // no Fortran compiler: nothing more to ask
  write("program.f90",
        "program p\n  include 'mpif.h'\n  integer :: rank, e, b(4)\n  call MPI_Init(e)\n"
        "  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)\n  call MPI_Send(b, 4, MPI_INTEGER, rank + 1, 0, "
        "MPI_COMM_WORLD, e)\n"
        "  call MPI_Finalize(e)\nend program\n");
  ASSERT_EQ(here(kBin + "hybridfort program.f90 -o fortran"), kSilence);
  EXPECT_THAT(hints("fortran"), HasSubstr("rank + 1"));
}

TEST(CompiledCommunication, GoesFromTheDirectiveToTheRecording) {
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here(kBin + "hybridcc -O2 program.c next.c -o whole"), kSilence);
  // An input that does not end: mpiexec would pass its end on to a rank, and die where that has ended
  // already.
  const std::string mpiexec = "[ -p input ] || mkfifo input; " HYBRID_TEST_MPIEXEC " <>input -n 4 ";
  const auto alone = here(mpiexec + "./whole");
  EXPECT_EQ(alone, std::pair(0, std::string("3 6\n")));
  const auto recorded = here(
      mpiexec + "-genv LD_PRELOAD " HYBRID_TEST_LIBRARY
                " -genv HYBRID_QUIET 1 -genv HYBRID_AT_FINALIZE trace -genv HYBRID_OUTPUT out_of_4 ./whole");
  EXPECT_EQ(recorded, alone) << "the program does the same";
  EXPECT_THAT(here(kBin + "hybrid hints whole").second, HasSubstr("shift {size - 3}"));
  const std::string checked = here(kBin + "hybrid hints whole --check out_of_4/trace.otf2").second;
  EXPECT_THAT(checked, testing::ContainsRegex("ring +4 +4 +100.0 % +100.0 % +12 +100.0 %"));
}

/// Records a program of the test's folder at so many ranks.
void record(const std::string& program, int ranks, const std::string& output) {
  const auto [code, words] =
      here("[ -p input ] || mkfifo input; " HYBRID_TEST_MPIEXEC " <>input -n " + std::to_string(ranks) +
           " -genv LD_PRELOAD " HYBRID_TEST_LIBRARY
           " -genv HYBRID_QUIET 1 -genv HYBRID_AT_FINALIZE trace -genv HYBRID_OUTPUT " +
           output + " ./" + program);
  ASSERT_EQ(code, 0) << words;
}

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

TEST(CompiledCommunication, OfTheExampleIsAllThatItDoes) {
  ASSERT_EQ(here(kBin + "hybridcc -O2 -o stencil " HYBRID_TEST_EXAMPLES "/stencil.c"), kSilence);
  EXPECT_THAT(here(kBin + "hybrid hints stencil --nodes 16").second,
              testing::ContainsRegex("exchange .*mesh2d, preload +4 +mesh2d 4x4, 48 connections\n"
                                     "  collect .*gather .0. +15 +gather 0, 15 connections"));
  record("stencil", 6, "stencil_of_6");
  const std::string check = here(kBin + "hybrid hints stencil --check stencil_of_6").second;
  EXPECT_THAT(check, testing::ContainsRegex("collect +5 +5 +100.0 % +100.0 % +25 +100.0 %"));
  EXPECT_THAT(check, testing::ContainsRegex("exchange +14 +14 +100.0 % +100.0 % +700 +100.0 %"));
}

// Who sends to whom is drawn by lot, the same draw in every run.
const char kLot[] = R"x(
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  int rank, size, got, to[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  srand(7);
  for (int i = 0; i < size; ++i) to[i] = i;
  for (int i = size - 1; i > 0; --i) {
    int other = rand() % i, kept = to[i];
    to[i] = to[other];
    to[other] = kept;
  }
#pragma hybrid phase(lot) preload
  MPI_Sendrecv(&rank, 1, MPI_INT, to[rank], 0, &got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#pragma hybrid phase(ring)
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
)x";

TEST(Profile, TellsWhatTheAnalysisCouldNot) {
  write("lot.c", kLot);
  ASSERT_EQ(here(kBin + "hybridcc -O2 lot.c -o lot"), kSilence);
  record("lot", 5, "lot_of_5");
  const std::string before = here(kBin + "hybrid hints lot --check lot_of_5").second;
  EXPECT_THAT(before, testing::ContainsRegex("lot +0 +5 +100.0 % +0.0 % +5 +0.0 %"));
  EXPECT_THAT(here(kBin + "hybrid profile lot_of_5").second,
              testing::ContainsRegex("lot +5 +5 .*ring +5 +5 +shift 1"));

  ASSERT_EQ(here(kBin + "hybridcc -O2 lot.c -o told -fhybrid-profile-use=lot_of_5"), kSilence);
  const std::string check = here(kBin + "hybrid hints told --check lot_of_5").second;
  EXPECT_THAT(check, testing::ContainsRegex("lot +5 +5 +100.0 % +100.0 % +5 +100.0 %"));
  EXPECT_THAT(check, testing::ContainsRegex("ring +5 +5 +100.0 % +100.0 % +5 +100.0 %"));
  EXPECT_THAT(check, testing::ContainsRegex("MPI_Sendrecv +dynamic +lot")) << "a profile settles no call";
  EXPECT_THAT(check, testing::ContainsRegex("lot .*a run of 5 ranks: 5 connections, preload"));
  // At another number of ranks the run told nothing.
  EXPECT_THAT(here(kBin + "hybrid hints told --nodes 4").second,
              testing::ContainsRegex("lot .*a run of 5 ranks: 5 connections, preload +0 +unknown: "));
  // Other runs add to it, and compiling in steps is the same.
  record("told", 4, "lot_of_4");
  ASSERT_EQ(here(kBin + "hybridcc -c lot.c -fhybrid-profile-use=lot_of_4 && " + kBin +
                 "hybridcc lot.o -o both -fhybrid-profile-use=lot_of_4 -fhybrid-profile-use=lot_of_5"),
            kSilence);
  for (const char* const run : {"lot_of_4", "lot_of_5"})
    EXPECT_THAT(here(kBin + "hybrid hints both --check " + run).second,
                testing::ContainsRegex("the whole run\\) +[0-9]+ +[0-9]+ +100.0 % +100.0 % "))
        << run;
}

TEST(Profile, ThatDoesNotFitIsTold) {
  write("lot.c", kLot);
  write("other.c",
        "#include <mpi.h>\n#include <stdlib.h>\nint main(void) {\n  int r = 0;\n  MPI_Init(0, 0);\n"
        "  MPI_Send(&r, 1, MPI_INT, rand() % 2, 0, MPI_COMM_WORLD);\n  MPI_Finalize();\n  return 0;\n}\n");
  ASSERT_EQ(here(kBin + "hybridcc lot.c -o unfit"), kSilence);
  record("unfit", 3, "unfit_of_3");
  const std::string with = " -fhybrid-profile-use=unfit_of_3";
  EXPECT_THAT(here(kBin + "hybridcc other.c -o other" + with).second,
              HasSubstr("warning: the profile unfit_of_3 has none of this program's phases ('main')"));
  EXPECT_EQ(here(kBin + "hybridcc other.c -o other -Wno-hybrid" + with), kSilence);
  EXPECT_THAT(here(kBin + "hybridcc other.c -o other -Werror=hybrid" + with + " 2>&1; echo $?").second,
              AllOf(HasSubstr("error: the profile"), HasSubstr("\n2\n")));
  EXPECT_THAT(here(kBin + "hybridcc -shared -fPIC other.c -o libother.so" + with).second,
              HasSubstr("warning"));
  EXPECT_THAT(here(kBin + "hybridcc other.c -o unmade -fhybrid-profile-use=nowhere 2>&1; echo $?").second,
              AllOf(HasSubstr("nowhere: no such file"), HasSubstr("\n2\n")));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/unmade"));
}

TEST(CompiledCommunication, ADirectiveMayStandInAUnitThatCallsNoMpi) {
  write("ring_main.c",
        "void begin(void); void end(void); void ring(void);\nint main(void) {\n  begin();\n"
        "#pragma hybrid phase(around) pattern(ring) preload\n  ring();\n  end();\n  return 0;\n}\n");
  write("ring_mpi.c",
        "#include <mpi.h>\nvoid begin(void) { MPI_Init(0, 0); }\nvoid end(void) { MPI_Finalize(); }\n"
        "void ring(void) { int r, s; MPI_Comm_rank(MPI_COMM_WORLD, &r); MPI_Comm_size(MPI_COMM_WORLD, &s);\n"
        "  MPI_Sendrecv(&r, 1, MPI_INT, (r + 1) % s, 0, &s, 1, MPI_INT, (r + s - 1) % s, 0, MPI_COMM_WORLD, "
        "MPI_STATUS_IGNORE); }\n");
  ASSERT_EQ(here(kBin + "hybridcc ring_main.c ring_mpi.c -o two_units"), kSilence);
  EXPECT_THAT(here(kBin + "hybrid hints two_units --nodes 4").second,
              testing::ContainsRegex(
                  "around +ring_main.c:4 +directive +[0-9]+ +ring, preload +2 +ring, 8 connections"));
}

}  // namespace
}  // namespace hybrid
