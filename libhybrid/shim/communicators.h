// Handlers of calls that create and free communicators.
#pragma once

#include <string>

#include "libhybrid/shim/point_to_point.h"

namespace hybrid::shim::handle {

// A call collective over `parent`. It is counted on ranks that get no communicator, too.
inline int comm_create(Thread& thread, RealCall real, const MPI_Comm* made, MPI_Comm parent) {
  const int result = call(thread, real);
  if (result == MPI_SUCCESS) process().define_communicator(*made, process().next_origin(parent));
  return result;
}

// A call collective over the members of the new communicator only. `parent`: their common communicator, or
// MPI_COMM_NULL when there is none.
inline int comm_create_by_members(Thread& thread, RealCall real, const MPI_Comm* made, MPI_Comm parent,
                                  const std::string& call_name) {
  const int result = call(thread, real);
  if (result != MPI_SUCCESS) return result;
  const Communicator* const known = process().communicator(parent);
  process().define_communicator(*made, {known == nullptr ? Origin::kNoParent : known->id, call_name});
  return result;
}

// A call that returns an existing communicator.
inline int comm_get(Thread&, RealCall real, const MPI_Comm* known) {
  const int result = real();
  if (result == MPI_SUCCESS) process().communicator(*known);
  return result;
}

// The duplicate gets the members of the original: MPI can be queried for them only when the request is
// complete.
inline int comm_idup(Thread& thread, RealCall real, MPI_Comm comm, const MPI_Comm* made,
                     MPI_Request* request) {
  const int result = call(thread, real);
  if (result != MPI_SUCCESS) return result;
  process().define_duplicate(comm, *made, process().next_origin(comm));
  remember(*request, {.active = true});
  return result;
}

// The communicator is looked up before the call: afterwards, another thread's communicator may have the
// handle. It is erased after the call, because the call may fail.
inline int comm_free(Thread& thread, RealCall real, const MPI_Comm* comm) {
  const auto handle = static_cast<std::uint32_t>(*comm);
  const Communicator* const known = process().communicators.find(handle);
  const int result = call(thread, real);
  if (result == MPI_SUCCESS) process().communicators.erase(handle, known);
  return result;
}

}  // namespace hybrid::shim::handle

namespace hybrid::shim::describe {

/// Texts of Origin::call for calls collective over the members.
inline std::string by_tag(const char* what, int tag) { return std::string(what) + " " + std::to_string(tag); }
inline std::string by_tag(const char* what, const char* tag) {
  return std::string(what) + " " + (tag == nullptr ? "" : tag);
}

}  // namespace hybrid::shim::describe
