// The networks that D 5.5.2 and D 8.5 compare.
#pragma once

#include <string>
#include <vector>

#include "emulator/claims/sweep.h"

namespace hybrid {

/// wormhole, circuit, TDM with K = 4 preloaded slots ("preload") and with K = 4 dynamic ones ("dynamic").
inline std::vector<Variant> ch5_variants(const std::string& pattern) {
  std::vector<Variant> variants{variant_of("ch5", "wormhole", "wormhole"),
                                variant_of("ch5", "circuit", "circuit"), variant_of("ch5", "preload", "tdm"),
                                variant_of("ch5", "dynamic", "tdm")};
  variants[2].parameters.preload = variants[2].parameters.slots;
  for (Variant& v : variants) v.traffic.pattern = pattern;
  return variants;
}

/// wormhole, circuit, and predictive circuit switching ("tdm"): all N - 1 configurations are preloaded and
/// rotated, whether or not data waits for them (D 8.5).
inline std::vector<Variant> ch8_variants(const std::string& pattern) {
  std::vector<Variant> variants;
  for (const char* technique : {"wormhole", "circuit", "tdm"}) {
    Variant v = variant_of("ch8", technique, technique);
    v.parameters.allocation = "none";
    v.traffic.pattern = pattern;
    variants.push_back(v);
  }
  return variants;
}

inline std::vector<std::string> tdm_choices() {
  return {
      "preload: what the pattern knows, before the traffic begins; configurations that have turns follow "
      "each other",
      "dynamic: requested when data waits, released by the time-out predictor (100 us) or where others need "
      "the ports"};
}

}  // namespace hybrid
