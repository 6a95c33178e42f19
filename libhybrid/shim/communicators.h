// Handlers of what makes and frees communicators.
#pragma once

#include <string>

#include "libhybrid/shim/point_to_point.h"

namespace hybrid::shim::handle {

// Collective over all of `parent`; counts where it makes none here, too.
template <class Real>
int comm_create(Thread& thread, Real&& real, const MPI_Comm* made, MPI_Comm parent) {
  const int result = call(thread, real);
  if (result == MPI_SUCCESS) process().define_communicator(*made, process().next_origin(parent));
  return result;
}

// Collective over the members of the new one only. `parent`: that of a part of them, or MPI_COMM_NULL where
// they share none.
template <class Real>
int comm_create_apart(Thread& thread, Real&& real, const MPI_Comm* made, MPI_Comm parent,
                      const std::string& call_name) {
  const int result = call(thread, real);
  if (result != MPI_SUCCESS) return result;
  const Communicator* const known = process().communicator(parent);
  process().define_communicator(*made, {known == nullptr ? Origin::kNoParent : known->id, call_name});
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
  process().define_duplicate(comm, *made, process().next_origin(comm));
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

namespace hybrid::shim::describe {

/// The words of Origin::call for calls of the members alone.
inline std::string by_tag(const char* what, int tag) { return std::string(what) + " " + std::to_string(tag); }
inline std::string by_tag(const char* what, const char* tag) {
  return std::string(what) + " " + (tag == nullptr ? "" : tag);
}

}  // namespace hybrid::shim::describe
