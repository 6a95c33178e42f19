#include "libhybrid/report/terminal_text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hybrid {

namespace {
constexpr std::string_view kBold = "\033[1m", kRed = "\033[1;31m", kYellow = "\033[33m", kPlain = "\033[0m";
}

std::string short_time(Time time) {
  struct Unit {
    std::string_view name;
    double picoseconds;
  };
  static constexpr std::array<Unit, 5> kUnits{
      {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}};
  if (time == Time::never()) return "never";
  if (time.ps == 0) return "0 s";
  const double magnitude = static_cast<double>(time.ps < 0 ? -time.ps : time.ps);
  std::size_t unit = 0;
  // 999.5 would be rounded to 1000: print it as 1.00 of the next unit.
  while (unit + 1 < kUnits.size() && magnitude >= kUnits[unit + 1].picoseconds * 0.9995) ++unit;
  const double value = static_cast<double>(time.ps) / kUnits[unit].picoseconds;
  const double size = magnitude / kUnits[unit].picoseconds;
  if (unit == 0 || size >= 99.95) return fmt::format("{:.0f} {}", value, kUnits[unit].name);
  return fmt::format("{:.{}f} {}", value, size < 9.995 ? 2 : 1, kUnits[unit].name);
}

std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;  // no column is truncated to less than this
constexpr std::size_t kReadable =
    30;  // least width of a last column of text beside the others, on narrow terminals

// The bytes of the character that `text` begins with in UTF-8; 0 if it begins with none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) < 0x80                      ? 1
                            : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                            : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                            : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                                : 0;
  if (bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer forms than necessary, surrogates, and numbers above U+10FFFF.
  if (bytes > 2 && ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) >= 0xa0) ||
                    (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) >= 0x90)))
    return 0;
  return bytes;
}

// At most `bytes` bytes of `text`, without a part of a character.
std::string_view prefix(std::string_view text, std::size_t bytes) {
  if (bytes < text.size())
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

// Control characters, except those in `kept`, and bytes that are not UTF-8 as "\x1b": names in a trace cannot
// control the terminal. U+0080 to U+009F, with two bytes in UTF-8, are control characters, too.
std::string printable(std::string_view text, std::string_view kept = {}) {
  std::string result;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const bool two = bytes == 2 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0;
    const auto last = static_cast<unsigned char>(text[two ? 1 : 0]);
    if (two || bytes == 0 || ((last < 0x20 || last == 0x7f) && kept.find(text[0]) == std::string_view::npos))
      result += fmt::format("\\x{:02x}", last);
    else
      result += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

std::string truncated(const std::string& cell, std::size_t width) {
  return cell.size() <= width ? cell : std::string(prefix(cell, width - 3)) + "...";
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) throw std::logic_error("a table's row has the wrong number of cells");
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths(std::size_t indent, std::size_t width) const {
  std::vector<std::size_t> natural;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = columns_[c].title.size();
    for (const auto& row : rows_) widest = std::max(widest, row[c].size());
    natural.push_back(widest);
  }
  std::vector<std::size_t> widths = natural;
  const auto total = [&](std::size_t end) {
    return std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(end),
                           indent + kGap * (end == 0 ? 0 : end - 1));
  };
  // Truncates the widest left-aligned columns before `end`, but not those to keep, until they fit in `most`.
  const auto shrink = [&](std::size_t end, std::size_t most, const auto& keeps) {
    while (total(end) > most) {
      std::size_t widest = end;
      for (std::size_t c = 0; c < end; ++c)
        if (columns_[c].align == Align::left && widths[c] > kNarrowest && !keeps(c) &&
            (widest == end || widths[c] > widths[widest]))
          widest = c;
      if (widest == end) return;
      --widths[widest];
    }
  };
  std::size_t end = widths.size();  // of the columns that share a line
  if (wraps_last(width)) {
    --end;
    const std::size_t others = total(end) + kGap;
    if (others + std::min(widths[end], kReadable) <= width) {
      widths[end] = std::min(widths[end], width - others);
      return widths;
    }
  }
  // The names of a narrow table's rows stay readable: its other columns continue below.
  shrink(end, width, [&](std::size_t c) { return is_limit(width) && c < keys_ && 3 * widths[c] < width; });
  if (!is_limit(width) || total(end) <= width) return widths;
  widths = natural;
  const std::size_t keys = std::min(keys_, end);
  shrink(keys, width / 2, [](std::size_t) { return false; });
  const std::size_t rest = total(keys) + (keys == 0 ? 0 : kGap);
  for (std::size_t c = keys; c < end; ++c)
    if (columns_[c].align == Align::left && rest + widths[c] > width)
      widths[c] = rest + kNarrowest < width ? width - rest : kNarrowest;
  return widths;
}

bool TextTable::wraps_last(std::size_t width) const {
  return width < kTextWidth && columns_.size() > std::max<std::size_t>(keys_, 1) &&
         columns_.back().align == Align::left;
}

std::string TextTable::text(std::size_t indent, std::size_t width) const {
  std::vector<std::size_t> widths = this->widths(indent, width);
  const auto is_wrapped = [&](std::size_t c) { return c + 1 == columns_.size() && wraps_last(width); };
  std::vector<std::vector<std::size_t>> blocks;  // the columns of each
  std::size_t used = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (blocks.empty() || (is_limit(width) && c > keys_ && used + widths[c] > width)) {
      std::vector<std::size_t>& block = blocks.emplace_back();
      used = indent;
      for (std::size_t key = 0; key < std::min(keys_, c); ++key) {
        block.push_back(key);
        used += widths[key] + kGap;
      }
    }
    blocks.back().push_back(c);
    if (is_wrapped(c) && used + widths[c] > width)
      widths[c] = used + kNarrowest < width ? width - used : kNarrowest;
    used += widths[c] + kGap;
  }

  std::string text;
  for (const std::vector<std::size_t>& block : blocks) {
    const auto line = [&](const auto& cell_of) {
      std::string one(indent, ' ');
      for (const std::size_t c : block) {
        if (c != block.front()) one.append(kGap, ' ');
        std::string cell = cell_of(c);
        if (cell.size() > widths[c] && is_wrapped(c)) {
          const std::string lines = wrap(cell, one.size(), one.size() + widths[c]);
          one += lines.substr(one.size(), lines.size() - one.size() - 1);
          continue;
        }
        cell = truncated(cell, widths[c]);
        const std::string blanks(widths[c] - cell.size(), ' ');
        one += columns_[c].align == Align::right ? blanks + cell : cell + blanks;
      }
      one.erase(one.find_last_not_of(' ') + 1);
      text += one + "\n";
    };
    if (&block != &blocks.front()) text += "\n";
    line([&](std::size_t c) { return columns_[c].title; });
    for (const auto& row : rows_) line([&](std::size_t c) { return row[c]; });
  }
  return text;
}

std::string wrap(std::string_view raw, std::size_t indent, std::size_t width) {
  const std::string shown = printable(raw);
  std::string_view text = shown;
  std::string result, line;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (word.empty()) continue;
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      result += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  if (!line.empty()) result += std::string(indent, ' ') + line + "\n";
  return result;
}

std::string wrap_lines(std::string_view text, std::size_t width) {
  constexpr std::size_t kFurther = 2;
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!result.empty()) result += '\n';
    const std::size_t indent = line.find_first_not_of(' ');
    if (line.size() <= width || indent == std::string_view::npos) {
      result += line;
      continue;
    }
    const std::string lines = wrap(line, indent + kFurther, width);
    result += lines.substr(kFurther, lines.size() - kFurther - 1);
  }
  return result;
}

std::string two_columns(std::string_view term, std::string_view text, std::size_t column, std::size_t width) {
  constexpr std::size_t kIndent = 2, kFurther = 6;
  std::string lines(kIndent, ' ');
  std::size_t used = kIndent;
  while (!term.empty()) {
    const std::size_t length = std::min(term.find_first_of("| "), term.size() - 1) + 1;
    const std::string_view part = term.substr(0, length);
    term.remove_prefix(length);
    if (used > kFurther && used + part.size() > width) {
      lines += "\n" + std::string(kFurther, ' ');
      used = kFurther;
    }
    lines += part;
    used += part.size();
  }
  const std::string explained = wrap(text, column, width);
  if (explained.empty()) return lines + "\n";
  return used + kGap <= column ? lines + std::string(column - used, ' ') + explained.substr(column)
                               : lines + "\n" + explained;
}

std::size_t terminal_width(std::FILE* stream, std::size_t widest) {
  constexpr std::size_t kLeast = 40;
  std::size_t width = 0;
  if (const char* const columns = std::getenv("COLUMNS"); columns != nullptr) {
    const std::string_view text = columns;
    std::from_chars(text.data(), text.data() + text.size(), width);
  }
  winsize size{};
  if (width == 0 && isatty(fileno(stream)) != 0 && ::ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
    width = size.ws_col;
  return width == 0 ? widest : std::clamp(width, kLeast, widest);
}

bool has_colours(std::FILE* stream) {
  const char* const none = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return (none == nullptr || *none == '\0') && terminal != nullptr && std::string_view(terminal) != "dumb" &&
         isatty(fileno(stream)) != 0;
}

std::string with_bold_headings(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    // A heading may have several lines, in parentheses.
    if (const std::size_t open = text.substr(0, end).find(" ("); open != std::string_view::npos && open > 0)
      if (const std::size_t close = text.find(')', open); close > end && close < text.find("\n ", end))
        end = std::min(text.find('\n', close), text.size());
    const std::string_view line = text.substr(0, end);
    const bool ends = end < text.size();
    text.remove_prefix(end + (ends ? 1 : 0));
    if (!line.empty() && line.front() != ' ' && text.starts_with(' ')) {
      const std::size_t bold = std::min(line.find(" ("), line.size());
      out.append(kBold).append(line.substr(0, bold)).append(kPlain).append(line.substr(bold));
    } else {
      out += line;
    }
    if (ends) out += '\n';
  }
  return out;
}

void print_text(std::string_view text, std::FILE* stream) {
  std::string shown = printable(text, "\n\t");
  if (has_colours(stream)) shown = with_bold_headings(shown);
  std::fwrite(shown.data(), 1, shown.size(), stream);
}

void print_message(Severity severity, std::string_view text) {
  const bool colours = has_colours(stderr);
  const std::string_view colour = !colours ? "" : severity == Severity::error ? kRed : kYellow;
  const std::string_view kind = severity == Severity::error  ? ""
                                : severity == Severity::note ? " note:"
                                                             : " warning:";
  constexpr std::string_view kCommand = "hybrid:";
  std::string shown = fmt::format("{}{} {}", kCommand, kind, printable(text, "\n"));
  if (isatty(fileno(stderr)) != 0) shown = wrap_lines(shown, terminal_width(stderr));
  if (!colour.empty()) shown.insert(kCommand.size() + kind.size(), kPlain);
  std::fputs(fmt::format("{}{}\n", colour, shown).c_str(), stderr);
}

ProgressLine::ProgressLine(std::FILE* stream)
    : stream_(stream != nullptr && isatty(fileno(stream)) != 0 ? stream : nullptr) {}

std::string progress_text(Progress progress, std::uint64_t since, double seconds) {
  const auto of_time = [](double time) {
    return time < 100 ? fmt::format("{:.0f} s", time) : fmt::format("{:.0f} min", time / 60);
  };
  constexpr double kEnough = 0.5;
  if (seconds < kEnough && progress.estimate >= 1) return "about " + of_time(progress.estimate);
  if (progress.done == 0) return {};
  const double done = static_cast<double>(progress.done - since);
  if (progress.all == 0 || progress.done > progress.all || seconds < kEnough || done <= 0)
    return fmt::format("{} {}", grouped(progress.done), progress.unit);
  const double rate = done / seconds;
  const double left = progress.share > 0 ? seconds * (1 / progress.share - 1)
                                         : static_cast<double>(progress.all - progress.done) / rate;
  const double share = progress.share > 0
                           ? progress.share
                           : static_cast<double>(progress.done) / static_cast<double>(progress.all);
  return fmt::format("{:.0f} %", 100.0 * share) +
         fmt::format(", {} {}/s, ",
                     rate < 10 ? fmt::format("{:.1f}", rate) : grouped(static_cast<std::uint64_t>(rate)),
                     progress.unit) +
         of_time(left) + " left";
}

double estimate_seconds(
    const std::function<void(const std::function<void(std::uint64_t done, std::uint64_t all)>& note)>& run) {
  struct Sampled {};
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> begin;
  std::uint64_t first = 0;
  double seconds = 0;
  try {
    run([&](std::uint64_t done, std::uint64_t all) {
      if (!begin) {
        if (done > all / 10) throw Sampled{};
        first = done;
        begin = Clock::now();
      }
      if (done < all / 100 || done == first) return;
      seconds = std::chrono::duration<double>(Clock::now() - *begin).count() * static_cast<double>(all) /
                static_cast<double>(done - first);
      throw Sampled{};
    });
  } catch (const Sampled&) {
    return seconds;
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the complete run reports it
  }
  return 0;
}

bool ProgressLine::show(std::string_view what, Progress progress) {
  if (stream_ == nullptr) return false;
  const auto now = std::chrono::steady_clock::now();
  if (progress.all != last_.all || progress.done < last_.done ||
      (progress.estimate > 0 && estimate_ == 0)) {  // another step, or its begin after the estimation
    begin_ = now;
    first_ = progress;
    estimate_ = 0;
  }
  last_ = progress;
  // Later notes of the step do not repeat the estimate.
  progress.estimate = estimate_ = std::max(estimate_, progress.estimate);
  if (shown_ && what == what_ && now - at_ < std::chrono::milliseconds(100)) return true;
  what_ = what;
  at_ = now;
  std::string state =
      progress_text(progress, first_.done, std::chrono::duration<double>(now - begin_).count());
  if (!state.empty()) state = ": " + state;
  // A line that the terminal breaks could not be removed.
  constexpr std::size_t kWidest = 1000, kShortest = 12;
  const std::size_t room = terminal_width(stream_, kWidest) - 1;
  const std::size_t left = room - std::min(room, state.size());
  std::string line = truncated(printable(what), std::max(left, kShortest)) + state;
  line = "\r\033[K" + std::string(prefix(line, room));
  std::fwrite(line.data(), 1, line.size(), stream_);
  std::fflush(stream_);
  return shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
  shown_ = false;
}

}  // namespace hybrid
