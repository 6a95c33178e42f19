// Sizes of datatypes. MPICH's handles of basic types hold their size; that of another is asked for when it is
// made, and kept until it is freed. What is made where the library does not see it is asked for when it was
// first used, with success: asking for what is not a datatype would run the program's error handler.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "libhybrid/shim/mpi_library.h"
#include "libhybrid/shim/process.h"

namespace hybrid::shim {

// MPICH's handles of no object, MPI_DATATYPE_NULL for one.
constexpr bool is_no_object(std::uint32_t handle) { return handle >> 30 == 0; }
// 0x4C: a basic datatype, with its size in the second lowest byte (mpi.h).
constexpr bool tells_its_size(std::uint32_t handle) { return handle >> 24 == 0x4C; }

/// Asks MPI; 0 for what is not a datatype.
inline std::uint64_t ask_size(MPI_Datatype datatype) {
  MPI_Count size = 0;
  if (mpi::Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0) return 0;
  process().datatypes.keep(static_cast<std::uint32_t>(datatype), static_cast<std::uint64_t>(size));
  return static_cast<std::uint64_t>(size);
}

inline bool is_size_known(MPI_Datatype datatype) {
  const auto handle = static_cast<std::uint32_t>(datatype);
  return tells_its_size(handle) || is_no_object(handle) ||
         process().datatypes.size(handle) != DatatypeSizes::kUnknown;
}

/// In bytes; 0 for what is not a datatype.
inline std::uint64_t size_of(MPI_Datatype datatype) {
  const auto handle = static_cast<std::uint32_t>(datatype);
  if (tells_its_size(handle)) [[likely]]
    return handle >> 8 & 0xFF;
  if (is_no_object(handle)) return 0;
  const std::uint64_t size = process().datatypes.size(handle);
  return size != DatatypeSizes::kUnknown ? size : ask_size(datatype);
}

inline std::uint64_t bytes_of(MPI_Count count, MPI_Datatype datatype) {
  return count > 0 ? static_cast<std::uint64_t>(count) * size_of(datatype) : 0;
}

namespace handle {

template <class Real>
int type_create(Thread&, Real&& real, const MPI_Datatype* made) {
  const int result = real();
  if (result == MPI_SUCCESS && !tells_its_size(static_cast<std::uint32_t>(*made))) ask_size(*made);
  return result;
}

// Before the call: once it has returned, another thread may get the same handle for another type.
template <class Real>
int type_free(Thread&, Real&& real, const MPI_Datatype* datatype) {
  process().datatypes.forget(static_cast<std::uint32_t>(*datatype));
  return real();
}

}  // namespace handle
}  // namespace hybrid::shim
