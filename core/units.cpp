#include "core/units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "core/error.h"

namespace hybrid {

namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// A decimal number: digits, at most one point, no sign, no exponent. Value = mantissa / scale.
struct Decimal {
  Wide mantissa = 0;
  Wide scale = 1;
  std::string_view rest;
};

std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal number;
  bool digits = false, point = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
    } else if (text[i] >= '0' && text[i] <= '9') {
      digits = true;
      if (number.mantissa > Wide{1} << 90 || number.scale > Wide{1} << 60) return std::nullopt;
      number.mantissa = number.mantissa * 10 + static_cast<unsigned>(text[i] - '0');
      if (point) number.scale *= 10;
    } else {
      break;
    }
  }
  if (!digits) return std::nullopt;
  number.rest = trim(text.substr(i));
  return number;
}

// number x unit, rounded to the nearest integer; sets `*rounded` to whether that changed the value. nullopt
// if the text does not parse or the value exceeds `maximum`.
template <std::size_t N>
std::optional<std::uint64_t> read_scaled(std::string_view text, const std::array<Unit, N>& units,
                                         bool exact_case, std::uint64_t maximum, bool* rounded = nullptr) {
  const auto number = read_decimal(trim(text));
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (exact_case ? number->rest != unit.name : !same_letters(number->rest, unit.name)) continue;
    if (number->mantissa > (~Wide{0} - number->scale) / unit.factor) return std::nullopt;  // beyond 2^128
    const Wide value = (number->mantissa * unit.factor + number->scale / 2) / number->scale;
    if (value > maximum) return std::nullopt;
    if (rounded != nullptr) *rounded = number->mantissa * unit.factor % number->scale != 0;
    return static_cast<std::uint64_t>(value);
  }
  return std::nullopt;
}

std::string problem_with(std::string_view what, std::string_view text, std::string_view expected) {
  return std::string(what) + ": '" + std::string(text) + "' is not " + std::string(expected);
}

// value / factor (a power of ten) as an exact decimal without trailing zeros.
std::string exact_decimal(std::uint64_t value, std::uint64_t factor) {
  std::string text = std::to_string(value / factor);
  if (const std::uint64_t rest = value % factor; rest != 0) {
    std::string digits = std::to_string(rest + factor).substr(1);  // keeps the leading zeros
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text;
}

}  // namespace

Time parse_time(std::string_view text, std::string_view what) {
  static constexpr std::array<Unit, 7> kUnits{{{"ps", 1},
                                               {"ns", 1'000},
                                               {"us", 1'000'000},
                                               {"\u00b5s", 1'000'000},  // the micro sign
                                               {"\u03bcs", 1'000'000},  // the letter mu
                                               {"ms", 1'000'000'000},
                                               {"s", 1'000'000'000'000}}};
  // One below never(): a time from a user never means "never".
  const auto maximum = static_cast<std::uint64_t>(Time::never().ps) - 1;
  if (const auto ps = read_scaled(text, kUnits, true, maximum)) return {static_cast<std::int64_t>(*ps)};
  if (const auto number = read_decimal(trim(text)); number && number->rest.empty() && number->mantissa == 0)
    return {0};
  throw UserError(problem_with(what, text, "a time"),
                  "Give a number with a unit ps, ns, us, ms or s: 200ns, 1.5us.");
}

std::string to_string(Time t) {
  static constexpr std::array<Unit, 5> kUnits{
      {{"s", 1'000'000'000'000}, {"ms", 1'000'000'000}, {"us", 1'000'000}, {"ns", 1'000}, {"ps", 1}}};
  if (t == Time::never()) return "never";
  if (t.ps == 0) return "0s";
  const bool negative = t.ps < 0;
  const std::uint64_t ps =
      negative ? ~static_cast<std::uint64_t>(t.ps) + 1 : static_cast<std::uint64_t>(t.ps);
  const Unit* unit = kUnits.begin();
  while (ps < unit->factor) ++unit;
  std::string text(negative ? "-" : "");
  return text.append(exact_decimal(ps, unit->factor)).append(unit->name);
}

namespace {

Bytes read_bytes(std::string_view text, std::string_view what, const char* fix) {
  static constexpr std::uint64_t kK = 1024;
  static constexpr std::array<Unit, 14> kUnits{{{"", 1},
                                                {"b", 1},
                                                {"k", kK},
                                                {"kb", kK},
                                                {"kib", kK},
                                                {"m", kK * kK},
                                                {"mb", kK * kK},
                                                {"mib", kK * kK},
                                                {"g", kK * kK * kK},
                                                {"gb", kK * kK * kK},
                                                {"gib", kK * kK * kK},
                                                {"t", kK * kK * kK * kK},
                                                {"tb", kK * kK * kK * kK},
                                                {"tib", kK * kK * kK * kK}}};
  bool rounded = false;
  const auto bytes = read_scaled(text, kUnits, false, kUnlimited - 1, &rounded);
  if (bytes && !rounded) return *bytes;
  throw UserError(problem_with(what, text, bytes ? "a whole number of bytes" : "a size"), fix);
}

}  // namespace

Bytes parse_bytes(std::string_view text, std::string_view what) {
  if (same_letters(trim(text), "unlimited")) return kUnlimited;
  return read_bytes(text, what, "Give bytes: 128, 2K, 8KiB, 1.5M, or unlimited.");
}

Bytes parse_limited_bytes(std::string_view text, std::string_view what) {
  return read_bytes(text, what, "Give bytes: 128, 2K, 8KiB or 1.5M.");
}

std::string format_bytes(Bytes bytes) {
  static constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  if (bytes == kUnlimited) return "unlimited";
  std::size_t unit = 0;
  const auto tenths = [&] {  // of the unit, rounded
    const std::size_t bits = 10 * unit;
    return static_cast<std::uint64_t>((Wide{bytes} * 10 + (Wide{1} << bits) / 2) >> bits);
  };
  while (unit + 1 < kUnits.size() && tenths() >= 10 * std::uint64_t{1024}) ++unit;
  std::string text = std::to_string(tenths() / 10);
  if (bytes % (std::uint64_t{1} << 10 * unit) != 0) text += "." + std::to_string(tenths() % 10);
  return text + " " + std::string(kUnits[unit]);
}

BitRate parse_rate(std::string_view text, std::string_view what) {
  static constexpr std::array<Unit, 5> kUnits{{{"b/s", 1},
                                               {"kb/s", 1'000},
                                               {"mb/s", 1'000'000},
                                               {"gb/s", 1'000'000'000},
                                               {"tb/s", 1'000'000'000'000}}};
  static constexpr std::array<Unit, 4> kShort{
      {{"k", 1'000}, {"m", 1'000'000}, {"g", 1'000'000'000}, {"t", 1'000'000'000'000}}};
  const std::uint64_t maximum = 1'000'000'000'000'000;
  // A capital B usually means bytes: rejected, not read as bits.
  const bool in_bytes = text.find('B') != std::string_view::npos;
  auto rate = in_bytes ? std::nullopt : read_scaled(text, kUnits, false, maximum);
  if (!rate && !in_bytes) rate = read_scaled(text, kShort, false, maximum);
  if (rate && *rate > 0) return *rate;
  throw UserError(problem_with(what, text, "a link rate"),
                  "Give bits (b, not B) per second: 6.4Gb/s, 1.6Tb/s, 100M.");
}

std::string format_rate(BitRate rate) {
  static constexpr std::array<Unit, 4> kUnits{
      {{"Gb/s", 1'000'000'000}, {"Mb/s", 1'000'000}, {"kb/s", 1'000}, {"b/s", 1}}};
  const Unit* unit = kUnits.begin();
  while (rate < unit->factor && unit->factor > 1) ++unit;
  return exact_decimal(rate, unit->factor) + " " + std::string(unit->name);
}

Time time_on_link(Bytes bytes, BitRate rate) {
  const Wide bit_picoseconds = Wide{bytes} * 8 * 1'000'000'000'000ULL;
  const Wide time = (bit_picoseconds + rate - 1) / rate;
  return time < static_cast<Wide>(Time::never().ps) ? Time{static_cast<std::int64_t>(time)} : Time::never();
}

std::uint64_t parse_count(std::string_view text, std::string_view what, std::uint64_t maximum) {
  const auto number = read_decimal(trim(text));
  if (number && number->rest.empty() && number->scale == 1 && number->mantissa <= maximum &&
      text.find('.') == std::string_view::npos)
    return static_cast<std::uint64_t>(number->mantissa);
  throw UserError(problem_with(
      what, text,
      maximum == ~std::uint64_t{0} ? "a whole number" : "a whole number up to " + std::to_string(maximum)));
}

std::optional<double> read_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<double> read_share(std::string_view text) {
  const bool is_percentage = text.ends_with('%');
  if (is_percentage) text.remove_suffix(text.ends_with(" %") ? 2 : 1);
  auto share = read_number(text);
  if (share && is_percentage) *share /= 100;
  return share && *share >= 0 && *share <= 1 ? share : std::nullopt;
}

}  // namespace hybrid
