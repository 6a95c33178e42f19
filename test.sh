#!/usr/bin/env bash
# Installs what is missing, builds and runs all tests. Usage: ./test.sh [quick|full]
#   full (default): g++ build with benchmarks and all its tests; clang 19 build with the address and undefined-behaviour
#     sanitizers; thread sanitizer; format.
#   quick: the g++ build and its tests only.
set -euo pipefail
cd "$(dirname "$0")"
mode=${1:-full}
jobs=$(nproc)

.ci/dependencies test

step() { printf '\n== %s\n' "$*"; }
build() { cmake --preset "$1" "${@:2}" >/dev/null && cmake --build --preset "$1" -j "$jobs" -- --quiet; }
# Programs under mpiexec run in the g++ build. With the sanitizers run those of the shim's tests, which are built without:
# what is told is of the shim.
log=$(mktemp)
trap '[ ! -s "$log" ] || closing_line; rm -f "$log"' EXIT
suite() { ctest --preset "$1" -j "$jobs" --no-label-summary "${@:2}" | tee -a "$log"; }
# What all suites came to: the last line, also where one failed.
closing_line() {
  awk '/tests failed out of [0-9]+$/ { failed += $4; all += $NF }
       /\((Skipped|Disabled)\)$/ { skipped++ }
       END { printf "\n%d passed, %d failed, %d skipped\n", all - failed - skipped, failed, skipped }' "$log"
}

step "g++ $(g++ -dumpfullversion): build"
build release -DHYBRID_TESTS=ON -DHYBRID_BENCHMARKS=ON -DHYBRID_CLANG_PLUGIN=ON
if [ "$mode" = full ]; then
  step "format"
  .ci/lint format
  step "clang 19, address and undefined-behaviour sanitizers"
  build asan
  suite asan -LE 'mpi|nightly'
  suite asan -R '^shim\.' -L mpi
  step "thread sanitizer"
  build tsan
  # The emulated switch runs in one thread; of its tests only the claims', which share points between threads, can race.
  suite tsan -LE 'mpi|nightly' -E '^emulator\.'
  suite tsan -R '^emulator\.Claim'
fi
step "all tests"
suite release -LE nightly
