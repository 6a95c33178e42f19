// Where a recording begins and ends. It begins after the first of MPI_Init, MPI_Init_thread and
// MPI_Session_init; it ends before MPI_Finalize, or before the MPI_Session_finalize that closes the last
// session of a program that only uses sessions. What is opened after that runs unrecorded.
#pragma once

#include <mpi.h>

#include "libhybrid/shim/handlers.h"

namespace hybrid::shim {

/// Before MPI starts: reads the options. Wrong ones, or another MPI than MPICH, end the program (exit 2)
/// before it has done anything.
void before_init() noexcept;
/// Begins the recording, collectively over the job. A failure is told once, and the program goes on.
void after_init() noexcept;
void after_session_init(MPI_Session session) noexcept;
/// Ends the recording of all threads; the rest happens in after_finalize.
void before_finalize() noexcept;
void before_session_finalize() noexcept;
/// On rank 0, merges, emulates and prints, as the options say.
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

// What is held back goes to the journal; the rest of it is on its way to the disk already.
template <class Real>
int abort(Real&& real) {
  if (Thread* const thread = recording_thread(); thread != nullptr) thread->flush();
  return real();
}

}  // namespace handle
}  // namespace hybrid::shim
