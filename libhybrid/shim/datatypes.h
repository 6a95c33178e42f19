// Sizes of datatypes. MPICH's handles of basic types hold their size; those of others are asked for once and
// kept by thread, until some datatype is made or freed and a handle may mean another.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "libhybrid/shim/mpi_library.h"
#include "libhybrid/shim/process.h"

namespace hybrid::shim {

/// The size of a type whose handle does not tell it.
inline std::uint64_t size_of_derived(MPI_Datatype datatype) {
  struct Known {
    MPI_Datatype datatype = MPI_DATATYPE_NULL;
    std::uint32_t change = 0;
    std::uint64_t size = 0;
  };
  thread_local std::array<Known, 64> cache;
  const std::uint32_t change = process().datatypes_changed.load(std::memory_order_acquire);
  Known& known = cache[static_cast<std::uint32_t>(datatype) % cache.size()];
  if (known.datatype != datatype || known.change != change) {
    MPI_Count size = 0;
    if (mpi::Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0) return 0;
    known = {datatype, change, static_cast<std::uint64_t>(size)};
  }
  return known.size;
}

/// In bytes; 0 for what is not a datatype.
inline std::uint64_t size_of(MPI_Datatype datatype) {
  const auto handle = static_cast<std::uint32_t>(datatype);
  // 0x4C: a basic datatype, with its size in the second lowest byte (mpi.h).
  if (handle >> 24 == 0x4C) [[likely]]
    return handle >> 8 & 0xFF;
  return datatype == MPI_DATATYPE_NULL ? 0 : size_of_derived(datatype);
}

inline std::uint64_t bytes_of(MPI_Count count, MPI_Datatype datatype) {
  return count > 0 ? static_cast<std::uint64_t>(count) * size_of(datatype) : 0;
}

namespace handle {

template <class Real>
int type_create(Thread&, Real&& real, MPI_Datatype*) {
  process().datatypes_changed.fetch_add(1, std::memory_order_release);
  return real();
}

// Before the call: once it has returned, another thread may get the same handle for another type.
template <class Real>
int type_free(Thread&, Real&& real, MPI_Datatype*) {
  process().datatypes_changed.fetch_add(1, std::memory_order_release);
  return real();
}

}  // namespace handle
}  // namespace hybrid::shim
