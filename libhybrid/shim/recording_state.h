// Where this process is between the start of MPI and its end. Used by start.cpp and finish.cpp only.
#pragma once

#include <memory>

#include "libhybrid/options/job_options.h"
#include "libhybrid/shim/process.h"

namespace hybrid::shim {

struct State {
  std::unique_ptr<JobOptions> options;  // once read
  bool began = false;                   // a recording was tried; there is no second one
  bool world_open = false;              // between MPI_Init and MPI_Finalize
  int open_sessions = 0;
  std::unique_ptr<Process> unrecorded;  // a rank that failed to begin
  std::unique_ptr<Process> ended;       // kept to the end of the process (process.h: begun)
  bool to_finish = false;               // by rank 0, after MPI
};

/// The process's one.
State& state();

/// Ends the program in an orderly way on all ranks: after MPI_Init, before any work of the program's own.
[[noreturn]] void leave_before_work(int status);

}  // namespace hybrid::shim
