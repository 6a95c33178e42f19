// Sizes of datatypes. MPICH's handles of basic types contain the size. The size of a derived type is queried
// when the type is created, and cached until it is freed. The size of a type that was created without a
// wrapped call is queried after its first successful use: a query for an invalid datatype would run the
// program's error handler.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "libhybrid/shim/mpi_library.h"
#include "libhybrid/shim/process.h"

namespace hybrid::shim {

/// Whether the handle refers to no object, like MPI_DATATYPE_NULL.
constexpr bool is_no_object(std::uint32_t handle) { return handle >> 30 == 0; }
/// Whether the handle is that of a basic datatype, with the size in its second lowest byte (mpi.h: 0x4C).
constexpr bool has_size_in_handle(std::uint32_t handle) { return handle >> 24 == 0x4C; }

/// Queries MPI for the size and caches it. Returns 0 when `datatype` is invalid.
[[gnu::cold]] inline std::uint64_t query_size(MPI_Datatype datatype) {
  MPI_Count size = 0;
  if (mpi::Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0) return 0;
  process().datatypes.keep(static_cast<std::uint32_t>(datatype), static_cast<std::uint64_t>(size));
  return static_cast<std::uint64_t>(size);
}

inline bool is_size_known(MPI_Datatype datatype) {
  const auto handle = static_cast<std::uint32_t>(datatype);
  return has_size_in_handle(handle) || is_no_object(handle) ||
         process().datatypes.size(handle) != DatatypeSizes::kUnknown;
}

/// Returns the size in bytes; 0 when `datatype` is invalid.
[[gnu::always_inline]] inline std::uint64_t size_of(MPI_Datatype datatype) {
  const auto handle = static_cast<std::uint32_t>(datatype);
  if (has_size_in_handle(handle)) [[likely]]
    return handle >> 8 & 0xFF;
  if (is_no_object(handle)) return 0;
  const std::uint64_t size = process().datatypes.size(handle);
  return size != DatatypeSizes::kUnknown ? size : query_size(datatype);
}

[[gnu::always_inline]] inline std::uint64_t bytes_of(MPI_Count count, MPI_Datatype datatype) {
  return count > 0 ? static_cast<std::uint64_t>(count) * size_of(datatype) : 0;
}

namespace handle {

template <class Real>
int type_create(Thread&, Real&& real, const MPI_Datatype* made) {
  const int result = real();
  if (result == MPI_SUCCESS && !has_size_in_handle(static_cast<std::uint32_t>(*made))) query_size(*made);
  return result;
}

// Forgets the size before the call: after it, another thread may get the same handle for another type.
template <class Real>
int type_free(Thread&, Real&& real, const MPI_Datatype* datatype) {
  process().datatypes.forget(static_cast<std::uint32_t>(*datatype));
  return real();
}

}  // namespace handle
}  // namespace hybrid::shim
