#!/usr/bin/env bash
# Installs what is missing, builds and runs all tests. Usage: ./test.sh [quick|full|nightly]
#   full (default): clang 19 with the address and undefined-behaviour sanitizers and the tests of all parts; the thread
#     sanitizer and the tests with threads; the g++ build that users install, and the tests that run its programs or are too
#     long for sanitizers; format.
#   quick: g++ only, with all tests and the benchmarks.
#   nightly: clang, with the benchmarks, without precompiled headers and with one source at a time, so that every file
#     includes what it uses; the tests that take minutes; the tests of the command with sanitizers; the Debian package in
#     a bare Debian.
set -euo pipefail
cd "$(dirname "$0")"
mode=${1:-full}
jobs=$(nproc)

.ci/dependencies test

step() { printf '\n== %s\n' "$*"; }
configure() { cmake --preset "$1" "${@:2}" >/dev/null; }
build() { cmake --build --preset "$1" -j "$jobs" "${@:2}" -- --quiet; }
log=$(mktemp)
shard_log=$(mktemp)
trap 'closing_line; rm -f "$log" "$shard_log"' EXIT
suite() { ctest --preset "$1" -j "$jobs" --no-label-summary -LE 'nightly|shard' "${@:2}" | tee -a "$log"; }
# The tests of GoogleTest, many in a process, and others with the output of each.
shards() { ctest --preset "$1" -j "$jobs" --no-label-summary -V -L "$2" "${@:3}" | tee -a "$shard_log"; }
# The last lines: the failed tests of the shards, and the sum of all, also after a failure.
closing_line() {
  sed -n 's/^[0-9]*: \(\[  FAILED  \] [^ ]*\)$/\1/p' "$shard_log"
  awk '/^[0-9]+: \[  PASSED  \]/ { passed += $5 }
       /^[0-9]+: \[  FAILED  \] .* listed below/ { failed += $5 }
       /^[0-9]+: \[  SKIPPED \] .* listed below/ { skipped += $5 }
       /tests failed out of [0-9]+$/ && FILENAME == ARGV[1] { failed_shards += $4 }
       /tests failed out of [0-9]+$/ && FILENAME == ARGV[2] { ctest_failed += $4; passed += $NF - $4 }
       /\((Skipped|Disabled)\)$/ && FILENAME == ARGV[2] { skipped++; passed-- }
       END { if (passed + failed + failed_shards + ctest_failed)
               printf "\n%d passed, %d failed, %d skipped\n", passed, ctest_failed + (failed > failed_shards ? failed : failed_shards), skipped }' \
    "$shard_log" "$log"
}

if [ "$mode" = nightly ]; then
  step "clang 19, no precompiled headers: build and long tests"
  configure clang -DHYBRID_PRECOMPILE=OFF -DHYBRID_UNITY=OFF -DHYBRID_REPRODUCE=ON -DHYBRID_CLANG_PLUGIN=ON
  build clang
  ctest --preset clang -j "$jobs" --no-label-summary -L nightly | tee -a "$log"
  step "clang 19, address and undefined-behaviour sanitizers: the command"
  configure asan -DHYBRID_TESTS=ALL
  build asan --target hybrid_cli_test
  shards asan shard -R '^cli\.'
  step "the Debian package in a bare Debian"
  .ci/package
  exit
fi
tests=ON benchmarks=ON
[ "$mode" = quick ] || tests=PROGRAMS benchmarks=OFF
# A new build tree compiles several sources at once; an existing one keeps its way.
[ -e build/CMakeCache.txt ] || unity=-DHYBRID_UNITY=ON
step "g++ $(g++ -dumpfullversion): build"
configure release ${unity:-} -DHYBRID_TESTS=$tests -DHYBRID_BENCHMARKS=$benchmarks -DHYBRID_REPRODUCE=ON -DHYBRID_CLANG_PLUGIN=ON
build release
if [ "$mode" = full ]; then
  step "format"
  .ci/lint format
  step "clang 19, address and undefined-behaviour sanitizers"
  configure asan
  build asan
  # Tests under mpiexec run in the g++ build; with the sanitizers only those of the shim, whose test programs are
  # built without sanitizers, so that reports are about the shim.
  shards asan 'shard|mpi' -E '^examples\.|/Examples\.'
  step "thread sanitizer: the tests with more than one thread"
  configure tsan
  build tsan --target hybrid_core_test hybrid_predictor_test hybrid_emulator_test hybrid_job_test hybrid_shim_test
  shards tsan shard -R '^(core|predictor|emulator|job|shim)\.'
fi
step "g++: tests"
if [ "$mode" = full ]; then
  parts='^(predictor|emulator|claims|job|rtl)\.'
  shards release shard -R "$parts"
  suite release -E "$parts"
else
  suite release
fi
