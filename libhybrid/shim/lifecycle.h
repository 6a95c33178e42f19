// Begin and end of a recording. It begins after the first of MPI_Init, MPI_Init_thread and MPI_Session_init;
// it ends before MPI_Finalize, or before the MPI_Session_finalize that closes the last session of a program
// that only uses sessions. Sessions opened after that run unrecorded.
#pragma once

#include <mpi.h>

#include <memory>

#include "libhybrid/options/job_options.h"
#include "libhybrid/shim/handlers.h"
#include "libhybrid/shim/warnings.h"

namespace hybrid::shim {

/// State of the process between the start of MPI and its end. Used by start.cpp and finish.cpp only.
struct LifecycleState {
  std::unique_ptr<JobOptions> options;  // nullptr until they are read
  bool attempted = false;               // a recording was tried; there is no second one
  bool world_open = false;              // between MPI_Init and MPI_Finalize
  int open_sessions = 0;
  std::unique_ptr<Process> unrecorded;  // a rank that failed to begin
  std::unique_ptr<Process> ended;       // kept to the end of the process (process.h: latest_recording)
  bool to_finish = false;               // by rank 0, after MPI
};

/// The only instance.
LifecycleState& state();

/// Finalizes MPI and exits with `status`, on all ranks. To be called in MPI_Init, before the program has done
/// any work.
[[noreturn]] void finalize_and_exit(int status);

/// Reads the options before MPI starts. Wrong options, or another MPI than MPICH, end the program with exit
/// status 2.
void before_init() noexcept;
/// Begins the recording, collectively over the job. A failure is reported once, and the program continues.
void after_init() noexcept;
void after_session_init(MPI_Session session) noexcept;
/// Ends the recording of all threads; the rest happens in after_finalize.
void before_finalize() noexcept;
void before_session_finalize() noexcept;
/// On rank 0, merges, emulates and prints, depending on the options.
void after_finalize() noexcept;

namespace handle {

template <class Real>
int init(Real&& real, int*) {
  before_init();
  const int result = real();
  if (result == MPI_SUCCESS) after_init();
  return result;
}

template <class Real>
int init_thread(Real&& real, int* argc, int*) {
  return init(real, argc);
}

template <class Real>
int session_init(Real&& real, const MPI_Session* session) {
  before_init();
  const int result = real();
  if (result == MPI_SUCCESS) after_session_init(*session);
  return result;
}

template <class Real>
int finalize(Real&& real) {
  before_finalize();
  const int result = real();
  after_finalize();
  return result;
}

template <class Real>
int session_finalize(Real&& real) {
  before_session_finalize();
  const int result = real();
  after_finalize();
  return result;
}

// Writes pending events to the journal; the kernel writes the rest of the mapped file.
template <class Real>
int abort(Real&& real) {
  if (Thread* const thread = recording_thread(); thread != nullptr) thread->flush();
  return real();
}

}  // namespace handle
}  // namespace hybrid::shim
