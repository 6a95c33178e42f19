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
configure() { cmake --preset "$1" "${@:2}" >/dev/null; }
build() { cmake --build --preset "$1" -j "$jobs" "${@:2}" -- --quiet; }
# Tests under mpiexec run in the g++ build; with the sanitizers only those of the shim, whose test programs are built
# without sanitizers, so that reports are about the shim.
log=$(mktemp)
trap '[ ! -s "$log" ] || closing_line; rm -f "$log"' EXIT
suite() { ctest --preset "$1" -j "$jobs" --no-label-summary "${@:2}" | tee -a "$log"; }
# The last line: the sum of all suites, also after a failure.
closing_line() {
  awk '/tests failed out of [0-9]+$/ { failed += $4; all += $NF }
       /\((Skipped|Disabled)\)$/ { skipped++ }
       END { printf "\n%d passed, %d failed, %d skipped\n", all - failed - skipped, failed, skipped }' "$log"
}

step "g++ $(g++ -dumpfullversion): build"
configure release -DHYBRID_TESTS=ON -DHYBRID_BENCHMARKS=ON -DHYBRID_REPRODUCE=ON -DHYBRID_CLANG_PLUGIN=ON
build release
if [ "$mode" = full ]; then
  step "format"
  .ci/lint format
  step "clang 19, address and undefined-behaviour sanitizers"
  configure asan
  build asan
  # Not the grids of points: they are long and execute the same code as other tests.
  suite asan -LE 'mpi|nightly' -E 'AdaptiveOnGrid|NightlyReproduce'
  suite asan -R '^shim\.' -L mpi
  step "thread sanitizer: the tests with more than one thread"
  configure tsan
  build tsan --target hybrid_predictor_test hybrid_emulator_test hybrid_claims_test hybrid_job_test hybrid_shim_test
  suite tsan -R '^(predictor|emulator|claims|job|shim)\.' -LE nightly
fi
step "all tests"
suite release -LE nightly
