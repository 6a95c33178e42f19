// The patterns of directives: those of the registry in core/hints/pattern.h, which the plugin does not load.
// A test compares the two.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace hybrid::directives {

inline constexpr std::array<std::string_view, 17> kPatterns{
    "line",      "ring",      "mesh2d",    "mesh3d",    "torus2d",  "torus3d",
    "stencil2d", "stencil3d", "hypercube", "butterfly", "pairwise", "transpose",
    "tree",      "alltoall",  "scatter",   "gather",    "shift"};

/// Number of numbers that each pattern takes, if any are given.
inline constexpr std::array<std::size_t, kPatterns.size()> kNumbers{1, 1, 2, 3, 2, 3, 2, 3, 0,
                                                                    0, 0, 0, 0, 0, 1, 1, 1};

inline constexpr std::array<std::string_view, 6> kDirectives{"phase", "condition", "end",
                                                             "flush", "off",       "on"};
inline constexpr std::array<std::string_view, 6> kClauses{"pattern", "connections", "slots",
                                                          "preload", "flush",       "condition"};

}  // namespace hybrid::directives
