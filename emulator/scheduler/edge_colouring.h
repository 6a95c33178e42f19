// Colours the edges of a bipartite graph with as few colours as its maximum degree (Konig 1916): connections
// of one colour share no port, so a colour is a slot, and no schedule needs fewer.
//
// The way is that of Gabow and Kariv (1982): an Euler split halves the degrees; one half is coloured by the
// same means, then as many of its colours go over to the other half as make that one's degree a power of two,
// which splits alone colour. Where the degree is odd, one colour too many comes out; the smallest class is
// taken out again and its edges, fewer than ports, put in one by one along alternating paths. Time O(E log D
// + N^2 log D) for E edges, degree D and N ports.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/connection.h"

namespace hybrid {

/// The largest number of connections at one input or one output.
std::uint32_t maximum_degree(std::span<const Connection> connections, std::uint32_t ports);

/// A colour for each connection, 0 .. maximum_degree - 1; two with one port in common never share one.
/// Connections may come twice.
std::vector<std::uint32_t> colour_edges(std::span<const Connection> connections, std::uint32_t ports);

}  // namespace hybrid
