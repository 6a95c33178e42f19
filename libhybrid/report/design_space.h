// The configurations of a technique that suit a job: values of K, slot length, predictor and share of the
// packet plane. Every option that the user names keeps its value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "libhybrid/report/design_search.h"
#include "libhybrid/report/job_emulator.h"

namespace hybrid {

/// Names of options, without "--".
using OptionSet = std::set<std::string, std::less<>>;

/// The dimensions of a space, by the names of their options and in the order in which a search descends. The
/// share comes first: it decides how much the circuits matter.
inline constexpr std::array<std::string_view, 4> kDesignOptions{"packet-plane", "slots", "slot-length",
                                                                "predictor"};
enum DesignDimension : std::size_t { kShares, kSlotCounts, kSlotLengths, kPredictors };

/// The largest K that is tried, unless the options need more: of a job in which each rank sends to many
/// others a cycle of that many slots holds circuits that hardly carry words.
inline constexpr std::uint32_t kMostSlotsTried = 64;

/// Shares that are tried when the fabric reconfigures.
inline constexpr std::array<double, 5> kSharesTried{0, 0.05, 0.1, 0.2, 0.5};

struct DesignSpace {
  std::string technique;
  // At least one value each: that of the options if they name it or the technique does not use it.
  std::vector<double> shares;
  std::vector<std::uint32_t> slot_counts;
  std::vector<Time> slot_lengths;
  std::vector<std::string> predictors;
  DesignPoint start;  // the options' values, or the nearest ones

  std::vector<std::size_t> sizes() const;
  std::size_t points() const;
  SwitchParameters parameters(const JobEmulator& job, const DesignPoint& point) const;
  /// A value as a user writes it: "4", "200ns".
  std::string value(std::size_t dimension, std::size_t index) const;
};

/// The space of a technique for a job whose phases are known.
///  - K: JobOptions::slot_counts, or powers of two up to the slots that the largest phase needs, and these.
///  - slot length: half, one, two and four times that of the options, which is at least that of --fabric.
///  - predictor: `predictors`.
///  - share of the packet plane: kSharesTried if reconfigurations take time.
DesignSpace design_space(const JobEmulator& job, const std::string& technique, const OptionSet& named,
                         const std::vector<std::string>& predictors);

/// Techniques that a search compares: those that the options name, or all registered ones that the network
/// supports, without bounds and without the techniques with links of a fixed division (D 2.3).
std::vector<std::string> techniques_to_search(const JobOptions& options);
/// Techniques that these leave out because the network does not support them.
std::vector<std::string> techniques_not_supported(const JobOptions& options);

/// none, timeout, tournament, and the two of the others with the best hit rates on the job at K slots (a pass
/// over the sends; no emulation). The oracle is left out, as no switch has one.
std::vector<std::string> predictors_to_search(const JobEmulator& job, std::uint32_t slots,
                                              const ProgressNote& note);

}  // namespace hybrid
