#include "cli/hints_values.h"

#include <bit>
#include <charconv>

#include "core/error.h"
#include "core/hint_abi.h"

namespace hybrid {

GivenValues::GivenValues(const std::vector<std::string>& given) {
  for (const std::string& word : given) {
    const std::size_t equals = word.rfind('=');
    const char* end = word.data() + word.size();
    std::int64_t value = 0;
    double real = 0;
    bool good = equals != std::string::npos && equals != 0;
    if (good) {
      const char* begin = word.data() + equals + 1;
      const auto whole = std::from_chars(begin, end, value);
      if (whole.ec != std::errc() || whole.ptr != end) {
        const auto number = std::from_chars(begin, end, real);
        good = number.ec == std::errc() && number.ptr == end;
        value = std::bit_cast<std::int64_t>(real);
      }
    }
    if (!good)
      throw UserError("--value " + word + ": expected NAME=NUMBER", "For instance --value params.rows=4.");
    if (!values_.emplace(word.substr(0, equals), value).second)
      throw UserError("--value " + word.substr(0, equals) + ": given twice");
  }
}

void GivenValues::check(const std::vector<HintUnit>& units) const {
  std::set<std::string, std::less<>> read;
  for (const HintUnit& unit : units)
    for (const hybrid_node& node : unit.nodes)
      if ((node.op == HYBRID_ARGUMENT || node.op == HYBRID_INPUT) && !unit.text(node.b).empty())
        read.emplace(unit.text(node.b));
  for (const auto& [name, value] : values_) {
    if (read.contains(name)) continue;
    std::string names;
    for (const std::string& one : read) names += (names.empty() ? "" : ", ") + one;
    throw UserError("--value " + name + ": no hint reads a variable of that name",
                    names.empty() ? "They read no values at all." : "They read " + names + ".");
  }
}

std::optional<std::int64_t> GivenValues::argument(std::uint32_t rank, std::uint32_t, std::string_view name) {
  return input(rank, name);
}

std::optional<std::int64_t> GivenValues::input(std::uint32_t, std::string_view name) {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

}  // namespace hybrid
