#include "cli/whole_number.h"

#include <fmt/format.h>

#include <string>

#include "core/error.h"
#include "core/units.h"

namespace hybrid {

std::uint64_t parse_whole(std::string_view text, std::string_view what, std::uint64_t least,
                          std::uint64_t most) {
  const std::string fix = most == ~std::uint64_t{0}
                              ? "Give a whole number, such as 1."
                              : fmt::format("Give a whole number from {} to {}.", least, most);
  std::uint64_t number = 0;
  try {
    number = parse_count(text, what, most);
  } catch (const UserError& error) {
    throw UserError(error.what(), fix);
  }
  if (number < least) throw UserError(fmt::format("{}: {} is too small", what, number), fix);
  return number;
}

}  // namespace hybrid
