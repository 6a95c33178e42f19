// Values of program variables given to `hybrid hints` on the command line.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/hints/evaluation.h"

namespace hybrid {

/// `--value NAME=V`: variables and inputs by their name in the hints, the same in all ranks. V is a whole
/// number, or a real one, with a point or an exponent.
class GivenValues final : public HintValues {
 public:
  /// Throws UserError for a word that is not NAME=V, or a name given twice.
  explicit GivenValues(const std::vector<std::string>& given);

  /// Throws UserError for a name that no unit reads, with the names that are read.
  void check(const std::vector<HintUnit>& units) const;

  std::optional<std::int64_t> argument(std::uint32_t rank, std::uint32_t number,
                                       std::string_view name) override;
  std::optional<std::int64_t> input(std::uint32_t rank, std::string_view name) override;

 private:
  std::map<std::string, std::int64_t, std::less<>> values_;
};

}  // namespace hybrid
