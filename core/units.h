// Sizes in bytes and rates in bits per second, as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.h"

namespace hybrid {

using Bytes = std::uint64_t;
using BitRate = std::uint64_t;  // bits per second

/// Reads "128", "2K", "8 KiB", "240KB", "1.5M", "3G", "unlimited" (K = 1024; returns kUnlimited for the
/// last). Throws UserError, naming `what`, on anything else, on a part of a byte and on overflow.
Bytes parse_bytes(std::string_view text, std::string_view what);
inline constexpr Bytes kUnlimited = ~Bytes{0};
/// The same for what cannot be "unlimited".
Bytes parse_limited_bytes(std::string_view text, std::string_view what);

/// "128 B", "2 KiB", "1.5 MiB", "unlimited"; at most one decimal, the same in every locale.
std::string format_bytes(Bytes bytes);

/// Reads "6.4Gb/s", "100Mb/s", "25G". Throws UserError, naming `what`, on anything else (bytes per second,
/// "GB/s", too), on 0 and above 10^15.
BitRate parse_rate(std::string_view text, std::string_view what);
/// All digits, in the largest unit that fits: "6.4 Gb/s", "6.45 Gb/s"; parse_rate reads it back.
std::string format_rate(BitRate rate);

/// The time that `bytes` occupy a link of `rate` > 0, rounded up to a whole picosecond; Time::never() where
/// that is more than Time can hold.
Time time_on_link(Bytes bytes, BitRate rate);

/// Reads a whole non-negative decimal number up to `maximum`. Throws UserError, naming `what`.
std::uint64_t parse_count(std::string_view text, std::string_view what,
                          std::uint64_t maximum = ~std::uint64_t{0});

/// "0.25", "1e-3", "-2": a finite number and nothing beside it, the same in every locale; else none.
std::optional<double> read_number(std::string_view text);

}  // namespace hybrid
