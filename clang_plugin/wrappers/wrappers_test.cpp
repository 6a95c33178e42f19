// hybridcc and hybridcxx in place of a compiler, for users and for make, CMake and configure scripts.
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
using wrappers_test::kNext;
using wrappers_test::kProgram;
using wrappers_test::kSilence;
using wrappers_test::write;

TEST(Wrappers, CompileAndLinkAtOnceAndInSteps) {
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here(kBin + "hybridcc -Wall -Wextra -O2 program.c next.c -o at_once"), kSilence);
  ASSERT_EQ(here(kBin + "hybridcc -c -O1 program.c && " + kBin + "hybridcc -c next.c -o next.o && " + kBin +
                 "hybridcc program.o next.o -o in_steps"),
            kSilence);
  for (const char* const program : {"at_once", "in_steps"})
    EXPECT_THAT(hints(program), HasSubstr("MPI_Sendrecv   static  ring   (rank + 1) % size")) << program;
  EXPECT_FALSE(std::filesystem::exists(folder() + "/hints.o")) << "no temporary file next to the program";
}

TEST(Wrappers, GiveNoWarningsOfTheirOwn) {
  write("quiet.c", "int main(void) { return 0; }\n");
  write("quiet.cpp", "int main() { return 0; }\n");
  EXPECT_EQ(here(kBin + "hybridcc -Weverything -Werror -Wno-padded -c quiet.c"), kSilence);
  EXPECT_EQ(here(kBin + "hybridcxx -std=c++20 -Weverything -Werror -Wno-c++98-compat -c quiet.cpp"),
            kSilence);
}

// The lines of a loop and of its calls, which are in the object without debug information, too.
TEST(Wrappers, KeepTheLinesOfLoops) {
  write("looping.c", R"(#include <mpi.h>
void work(int steps, int to, int* b) {
  for (int i = 0; i < steps; ++i)
    MPI_Send(b, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  for (int i = 0; i < steps; ++i)
    MPI_Send(b, 1, MPI_INT, to + 1, 0, MPI_COMM_WORLD);
}
)");
  for (const char* const options : {"-O0 ", "-O2 ", "-O2 -g "}) {
    ASSERT_EQ(here(kBin + "hybridcc " + options + "-c looping.c -o looping"), kSilence);
    EXPECT_THAT(hints("looping"), AllOf(HasSubstr("looping.c:4  work      MPI_Send  inspected  work:3"),
                                        HasSubstr("work:5  looping.c:5  loop")))
        << options;
  }
}

// Sanitizers pad a program's variables, but must not pad the notes.
TEST(Wrappers, CompileForSanitizers) {
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here(kBin + "hybridcc -O1 -g -fsanitize=address program.c next.c -o sanitized"), kSilence);
  EXPECT_THAT(hints("sanitized"), HasSubstr("MPI_Sendrecv   static  ring   (rank + 1) % size"));
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
  EXPECT_THAT(hints("shared"), HasSubstr("(rank + 1) % size"));
}

TEST(Wrappers, KeepHintsWithLinkTimeOptimization) {
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here(kBin + "hybridcc -O2 -flto -c program.c -o program_flto.o && " + kBin +
                 "hybridcc -O2 -flto program_flto.o next.c -o flto"),
            kSilence);
  EXPECT_THAT(hints("flto"), HasSubstr("(rank + 1) % size"));
}

TEST(Wrappers, StopAtTheSameStepAsTheCompiler) {
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

TEST(Wrappers, RejectUnknownHybridOptionsAndMissingCompilers) {
  write("next.c", kNext);
  EXPECT_THAT(here(kBin + "hybridcc -fhybrid-speed -c next.c 2>&1; echo $?").second,
              AllOf(HasSubstr("hybridcc: unknown option '-fhybrid-speed'; known: "), HasSubstr("\n2\n")));
  EXPECT_THAT(
      here("HYBRID_CC=no-such-clang " + kBin + "hybridcc -c next.c 2>&1; echo $?").second,
      AllOf(HasSubstr("hybridcc: no compiler 'no-such-clang'. Install clang 19"), HasSubstr("\n2\n")));
}

TEST(Wrappers, RejectCompilersOfAnotherVersion) {
  write("next.c", kNext);
  write("old-clang", "#!/bin/sh\necho 'clang version 14.0.6'\n");
  const std::string old = "chmod +x old-clang && HYBRID_CC=./old-clang " + kBin + "hybridcc ";
  EXPECT_THAT(
      here(old + "-c next.c 2>&1; echo $?").second,
      AllOf(
          HasSubstr("hybridcc: HYBRID_CC=./old-clang is 'clang version 14.0.6'; the plugin is for clang 19"),
          HasSubstr("\n2\n")));
  EXPECT_EQ(here(old + "-fno-hybrid -c next.c").second, "clang version 14.0.6\n")
      << "without the plugin any version is accepted";
  EXPECT_EQ(here("HYBRID_CC=clang-19 " + kBin + "hybridcc -c next.c"), kSilence);
}

TEST(Wrappers, AreCheckedByTheDoctor) {
  const std::string output = here(kBin + "hybrid doctor").second;
  EXPECT_THAT(output, testing::ContainsRegex("ok +hybridcc +/"));
  EXPECT_THAT(output, testing::ContainsRegex(std::string(HYBRID_TEST_FLANG).empty() ? "note +hybridfort"
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

TEST(Wrappers, WriteTheSameFilesNextToTheOutputAsACompiler) {
  write("side.c", "int main(void) { return 0; }\n");
  ASSERT_EQ(here(kBin + "hybridcc --coverage -g -gsplit-dwarf side.c -o side"), kSilence);
  for (const char* const file : {"side-side.gcno", "side-side.dwo"})
    EXPECT_TRUE(std::filesystem::exists(folder() + "/" + file)) << file;
  EXPECT_EQ(here("./side"), kSilence);
  EXPECT_TRUE(std::filesystem::exists(folder() + "/side-side.gcda"));
}

TEST(Wrappers, AcceptTheEndOfOptionsAndOnlyShowCommands) {
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here(kBin + "hybridcc -o ended -- program.c next.c"), kSilence);
  EXPECT_THAT(hints("ended"), HasSubstr("(rank + 1) % size"));
  const auto [code, words] = here(kBin + "hybridcc -### program.c next.c -o unmade");
  EXPECT_EQ(code, 0) << words;
  EXPECT_THAT(words, AllOf(HasSubstr("libhybrid_clang.so"), Not(HasSubstr("error:"))));
  EXPECT_FALSE(std::filesystem::exists(folder() + "/unmade"));
}

TEST(Wrappers, ReportWhyACallCouldNotBeAnalysed) {
  write("unknown.c",
        "#include <mpi.h>\n#include <stdlib.h>\nvoid f(int to) {\n  MPI_Send(&to, 1, MPI_INT, to, 0, "
        "MPI_COMM_WORLD);\n  MPI_Send(&to, 1, MPI_INT, rand(), 0, MPI_COMM_WORLD);\n"
        "  MPI_Send(&to, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);\n"
        "  MPI_Recv(&to, 1, MPI_INT, rand(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n}\n");
  const auto [code, words] = here(kBin + "hybridcc -Rhybrid -c unknown.c");
  EXPECT_EQ(code, 0);
  EXPECT_THAT(words, Not(HasSubstr("unknown.c:4:"))) << "an inspector computes it";
  EXPECT_THAT(words,
              testing::ContainsRegex(
                  "unknown.c:5:3: remark: .*rand.*#pragma hybrid phase.*connections.* can declare it"));
  EXPECT_THAT(words, Not(HasSubstr("unknown.c:6:")));
  EXPECT_THAT(words, Not(HasSubstr("unknown.c:7:"))) << "receives have no hints";
  EXPECT_EQ(here(kBin + "hybridcc -c unknown.c"), kSilence);
}

// Behind the phase, the block of its end is also that of the next iteration.
TEST(Wrappers, CompileALoopOfJumpsAroundAPhase) {
  write(
      "again.c",
      "#include <mpi.h>\nextern int table[16], op(int);\n"
      "extern struct item { int peer; struct item* next; }* list;\nvoid f(int p) {\n  int i = 0;\nagain: {\n"
      "#pragma hybrid phase(region)\n    { int x = 0; while (op(p) % 2 == 0) { if (++x > 2) break; } }\n"
      "#pragma hybrid end\n    for (struct item* q = list; q; q = q->next)\n"
      "      MPI_Send(&i, 1, MPI_INT, table[q->peer & 15], 1, MPI_COMM_WORLD);\n  }\n"
      "  if (++i < 4) goto again;\n}\n");
  EXPECT_EQ(here(kBin + "hybridcc -O2 -w -c again.c"), kSilence);
}

TEST(Wrappers, WorkFromAnInstalledPrefix) {
  // Installs only the component of the compilers.
  const std::string prefix = folder() + "/prefix", moved = folder() + "/moved";
  ASSERT_EQ(here("cmake --install " HYBRID_TEST_BUILD " --component hybrid_compilers --prefix " + prefix +
                 " >install.log 2>&1 || { cat install.log; false; }"),
            kSilence);
  std::filesystem::rename(prefix, moved);
  write("program.c", kProgram);
  write("next.c", kNext);
  ASSERT_EQ(here("moved/bin/hybridcc program.c next.c -o from_prefix"), kSilence);
  EXPECT_THAT(hints("from_prefix"), HasSubstr("(rank + 1) % size"));
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
  if (std::string(HYBRID_TEST_FLANG).empty()) return;  // no Fortran compiler
  write("program.f90",
        "program p\n  include 'mpif.h'\n  integer :: rank, e, b(4)\n  call MPI_Init(e)\n"
        "  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)\n  call MPI_Send(b, 4, MPI_INTEGER, rank + 1, 0, "
        "MPI_COMM_WORLD, e)\n"
        "  call MPI_Finalize(e)\nend program\n");
  ASSERT_EQ(here(kBin + "hybridfort program.f90 -o fortran"), kSilence);
  EXPECT_THAT(hints("fortran"), HasSubstr("rank + 1"));
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

// The checks of a compiler in a configure script of autoconf's kind.
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

}  // namespace
}  // namespace hybrid
