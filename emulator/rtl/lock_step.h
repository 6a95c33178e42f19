// The designs in RTL that are compared with C++ models, clock by clock. A line of CMakeLists.txt registers
// one: hybrid_block(), or hybrid_switch() for a node and its NICs.
//
//   for (const RtlDesign& design : rtl_designs("allocation"))
//     const auto model = AllocationRegistration::make(design.model, parameters);
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"
#include "emulator/rtl/rtl_block.h"

namespace hybrid {

struct RtlDesign {
  static constexpr std::string_view kKind = "RTL design";

  std::string_view comparison;  // "switch", or the kind of block: see lock_step_blocks_test.cpp
  std::string_view model;       // the name of the C++ model that the comparison uses
  std::string_view parameters;  // "N=8 DEPTH=16"
  RtlModels models;

  /// The value of parameter NAME of the design, a number; `otherwise` if it has none.
  std::uint32_t parameter(std::string_view name, std::uint32_t otherwise = 0) const {
    for (std::size_t begin = 0; begin < parameters.size();) {
      const std::string_view rest = parameters.substr(begin);
      if (rest.starts_with(name) && rest.substr(name.size()).starts_with('=')) {
        std::uint32_t value = otherwise;
        std::from_chars(rest.data() + name.size() + 1, rest.data() + rest.size(), value);
        return value;
      }
      begin += std::min(rest.find(' '), rest.size() - 1) + 1;
    }
    return otherwise;
  }
};
using RtlDesignRegistration = Registration<RtlDesign>;

/// The designs of a comparison, by name.
inline std::vector<RtlDesign> rtl_designs(std::string_view comparison) {
  std::vector<RtlDesign> designs;
  for (const std::string_view name : registered_names(RtlDesign::kKind)) {
    const RtlDesign design = *RtlDesignRegistration::make(name);
    if (design.comparison == comparison) designs.push_back(design);
  }
  return designs;
}

/// A name of a design for tests and files: each other character than a letter or digit becomes '_'.
inline std::string identifier(std::string_view name) {
  std::string text(name);
  std::ranges::replace_if(text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

/// The first clock in which a signal of the RTL and of the model differ.
struct Difference {
  std::int64_t clock;
  std::string signal, rtl, model;
};

}  // namespace hybrid
