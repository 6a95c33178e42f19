// Colours the edges of a bipartite graph with as few colours as its maximum degree (Konig 1916): connections
// of one colour share no port, so that a colour is a slot, and no schedule needs fewer.
//
// The method is that of Gabow and Kariv (1982): an Euler split halves the degrees. One half is coloured
// recursively; then so many of its colours are moved to the other half that the degree of that half is a
// power of two, which splits alone colour. If the degree is odd, there is one colour too many; the smallest
// class is removed again and its edges, fewer than ports, are inserted one by one along alternating paths.
// Time O(E log D + N^2 log D) for E edges, degree D and N ports.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"

namespace hybrid {

/// Returns the largest number of connections at one input or one output.
std::uint32_t maximum_degree(std::span<const Connection> connections, std::uint32_t ports);

/// Returns a colour for each connection, 0 .. maximum_degree - 1; two connections that share a port have
/// different colours. A connection may occur several times.
std::vector<std::uint32_t> colour_edges(std::span<const Connection> connections, std::uint32_t ports);

}  // namespace hybrid
