#!/usr/bin/env bash
# The main job on a fresh Debian 12: install what is missing, build, run a real 16-rank MPI program under the shim,
# emulate it on the hybrid switch, report.   Usage: ./demo.sh [example and its arguments]
set -euo pipefail
cd "$(dirname "$0")"

.ci/dependencies demo
if [ ! -e build/build.ninja ]; then
  cmake --preset release -DHYBRID_TESTS=OFF -DHYBRID_BENCHMARKS=OFF >build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }
  rm -f build.log
fi
echo "Building ..."
cmake --build build --target hybrid_command hybrid_preload examples | tail -1

if [ $# -eq 0 ]; then set -- two_phase; fi
program=$1; shift
# 16 ranks share the few cores of this machine: compute times from the CPU clock are those of a core each.
exec build/bin/hybrid run -n 16 --clock cpu -- "build/examples/$program" "$@"
