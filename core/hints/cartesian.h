// MPI's Cartesian topologies, as MPICH 4.0.2 has them: row-major, ranks kept (`reorder` changes nothing).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hybrid {

/// MPI_Dims_create: fills the sizes that are 0 so that the product is `nodes`, as equal as possible, falling.
/// Nothing where a size is negative or the given ones do not divide `nodes`.
std::optional<std::vector<std::int64_t>> create_dimensions(std::int64_t nodes,
                                                           std::vector<std::int64_t> sizes);

/// The place of `rank` in a grid of these sizes; the last dimension runs fastest.
std::vector<std::int64_t> grid_coordinates(std::int64_t rank, const std::vector<std::int64_t>& sizes);

/// The rank at a place; coordinates outside a dimension that wraps are taken modulo its size. Nothing where
/// one lies outside a dimension that does not wrap.
std::optional<std::int64_t> grid_rank(const std::vector<std::int64_t>& coordinates,
                                      const std::vector<std::int64_t>& sizes, const std::vector<bool>& wraps);

}  // namespace hybrid
