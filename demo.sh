#!/usr/bin/env bash
# The main job on a fresh Debian 12: install what is missing, build, run a real 16-rank MPI program under the shim,
# emulate it on the hybrid switch, report.   Usage: ./demo.sh [EXAMPLE [ARGUMENT...]]
set -euo pipefail
cd "$(dirname "$0")"

.ci/dependencies demo
if [ ! -e build/build.ninja ]; then
  log=$(mktemp)
  cmake --preset release -DHYBRID_UNITY=ON -DHYBRID_TESTS=OFF -DHYBRID_BENCHMARKS=OFF -DHYBRID_REPRODUCE=OFF >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  rm -f "$log"
fi
echo "Building ..."
# Ninja shows its progress on a terminal; elsewhere a line every 10 steps is enough. Compiler messages always pass.
build() { NINJA_STATUS='  [%f/%t, %es] ' cmake --build build --target hybrid_command hybrid_preload examples; }
if [ -t 1 ]; then build; else build | sed -u '/^  \[[0-9]*\//{/^  \[[0-9]*0\//!d}'; fi

if [ $# -eq 0 ]; then set -- two_phase; fi
program=$1; shift
number=1
while [ -e "hybrid-$program-$number" ]; do number=$((number + 1)); done
run=hybrid-$program-$number
build/bin/hybrid run -n 16 --output "$run" -- "build/examples/$program" "$@"

printf '\nThe same job on a switch of today, silicon photonics and a packet switch with links of 400 Gb/s:\n\n'
build/bin/hybrid replay "$run" --preset ocs-silicon-400g | awk '/^Techniques/ { shown = 1 } shown'
