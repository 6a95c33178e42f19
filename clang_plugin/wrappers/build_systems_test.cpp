// hybridcc as the compiler of make, CMake and a configure script.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "clang_plugin/pass/testing/compiled.h"
#include "clang_plugin/wrappers/testing/commands.h"

namespace hybrid {
namespace {

using pass_test::folder;
using testing::HasSubstr;
using wrappers_test::here;
using wrappers_test::hints;
using wrappers_test::kBin;
using wrappers_test::kNext;
using wrappers_test::kProgram;
using wrappers_test::kSilence;
using wrappers_test::write;

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

}  // namespace
}  // namespace hybrid
