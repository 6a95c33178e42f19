// Cartesian topologies as in MPICH 4.0.2: row-major, ranks unchanged (`reorder` has no effect).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hybrid {

/// MPI_Dims_create: replaces the sizes of 0 so that the product is `nodes`, with sizes as equal as possible,
/// in descending order. nullopt if a size is negative or the product of the given sizes does not divide
/// `nodes`.
std::optional<std::vector<std::int64_t>> create_dimensions(std::int64_t nodes,
                                                           std::vector<std::int64_t> sizes);

/// The coordinates of `rank` in a grid of these sizes; the last dimension varies fastest.
std::vector<std::int64_t> grid_coordinates(std::int64_t rank, const std::vector<std::int64_t>& sizes);

/// The rank at these coordinates. In a dimension that wraps, the coordinate is taken modulo the size; nullopt
/// if it is outside a dimension that does not wrap.
std::optional<std::int64_t> grid_rank(const std::vector<std::int64_t>& coordinates,
                                      const std::vector<std::int64_t>& sizes, const std::vector<bool>& wraps);

}  // namespace hybrid
