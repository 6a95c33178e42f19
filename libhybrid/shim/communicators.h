// Handlers of what makes and frees communicators.
#pragma once

#include "libhybrid/shim/point_to_point.h"

namespace hybrid::shim::handle {

template <class Real>
int comm_create(Thread& thread, Real&& real, const MPI_Comm* made) {
  const int result = call(thread, real);
  if (result == MPI_SUCCESS) process().define_communicator(*made);
  return result;
}

// Tells of one that was there before, every time it is asked.
template <class Real>
int comm_get(Thread&, Real&& real, const MPI_Comm* known) {
  const int result = real();
  if (result == MPI_SUCCESS) process().communicator(*known);
  return result;
}

// The duplicate has the members of its original, and may be asked for them only once its request is complete.
template <class Real>
int comm_idup(Thread& thread, Real&& real, MPI_Comm comm, const MPI_Comm* made, MPI_Request* request) {
  const int result = call(thread, real);
  if (result != MPI_SUCCESS) return result;
  process().define_duplicate(comm, *made);
  remember(*request, {.active = true});
  return result;
}

// MPI may refuse. After the call another thread's communicator may have the handle already.
template <class Real>
int comm_free(Thread& thread, Real&& real, const MPI_Comm* comm) {
  const auto handle = static_cast<std::uint32_t>(*comm);
  const Communicator* const known = process().communicators.find(handle);
  const int result = call(thread, real);
  if (result == MPI_SUCCESS) process().communicators.erase(handle, known);
  return result;
}

}  // namespace hybrid::shim::handle
