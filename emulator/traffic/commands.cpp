#include "emulator/traffic/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/error.h"
#include "core/option.h"

namespace hybrid {

namespace {

using CommandKind = PeCommand::Kind;

constexpr std::size_t kLongestName = 64;
constexpr Bytes kLargestSend = Bytes{1} << 40;
constexpr Time kLongestWait =
    nanoseconds(1'000'000'000'000);  // 1000 s: sums stay far below the range of Time

struct KindEntry {
  CommandKind kind;
  std::string_view name;
  std::string_view form;
};
constexpr std::array<KindEntry, 11> kKinds{{
    {CommandKind::send, "send", "send DEST BYTES"},
    {CommandKind::blocking_send, "blocking-send", "blocking-send DEST BYTES"},
    {CommandKind::broadcast, "broadcast", "broadcast BYTES"},
    {CommandKind::blocking_receive, "blocking-receive", "blocking-receive SOURCE"},
    {CommandKind::wait, "wait", "wait TIME"},
    {CommandKind::barrier, "barrier", "barrier"},
    {CommandKind::store, "store", "store NAME DEST..."},
    {CommandKind::preload, "preload", "preload NAME"},
    {CommandKind::swap_in, "swap-in", "swap-in NAME"},
    {CommandKind::swap_out, "swap-out", "swap-out"},
    {CommandKind::flush, "flush", "flush"},
}};

struct CommandWord {
  std::string_view text;
  std::size_t column = 0;  // from 1
};

/// Words of one line, and its place for error messages.
class CommandLine {
 public:
  CommandLine(std::string_view line, const std::string& file, std::uint32_t number)
      : file_(file), number_(number) {
    constexpr std::string_view kBlank = " \t\r\v\f";
    line = line.substr(0, line.find('#'));
    for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
      words_.push_back({line.substr(at, end - at), at + 1});
      at = line.find_first_not_of(kBlank, end);
    }
    end_column_ = words_.empty() ? 1 : words_.back().column + words_.back().text.size();
  }

  bool empty() const { return words_.empty(); }
  std::size_t first_column() const { return words_.front().column; }
  bool at_end() const { return next_ == words_.size(); }

  /// Returns the next word. For the error at the end of the line, `what` is the expected word and `form` the
  /// command's syntax.
  CommandWord next_word(std::string_view what, std::string_view form) {
    if (next_ == words_.size())
      fail(end_column_, fmt::format("the line ends where {} was expected", what),
           fmt::format("Write: {}", form));
    return words_[next_++];
  }
  /// Throws if words are left.
  void expect_end(std::string_view form) const {
    if (next_ == words_.size()) return;
    fail(words_[next_].column, fmt::format("'{}' follows a complete command", shown(words_[next_].text)),
         fmt::format("Write: {} (one command per line; # begins a comment)", form));
  }
  [[noreturn]] void fail(std::size_t column, const std::string& problem, const std::string& fix) const {
    throw UserError(fmt::format("{}:{}:{}: {}", file_, number_, column, problem), fix);
  }
  /// Calls `read` and adds the place of `word` to its UserError.
  template <class Read>
  auto at(const CommandWord& word, Read&& read) const {
    try {
      return read();
    } catch (const UserError& error) {
      throw UserError(fmt::format("{}:{}:{}: {}", file_, number_, word.column, error.what()));
    }
  }

  /// Returns `text` for an error message: short and without control characters.
  static std::string shown(std::string_view text) {
    constexpr std::size_t kMost = 40;
    std::string result(text.substr(0, kMost));
    for (char& c : result)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return text.size() > kMost ? result + "..." : result;
  }

 private:
  const std::string& file_;
  std::uint32_t number_;
  std::vector<CommandWord> words_;
  std::size_t next_ = 0;
  std::size_t end_column_ = 1;
};

const KindEntry& parse_kind(CommandLine& line) {
  const CommandWord word = line.next_word("a command", "send DEST BYTES");
  std::vector<std::string_view> names;
  for (const KindEntry& entry : kKinds) {
    if (entry.name == word.text) return entry;
    names.push_back(entry.name);
  }
  const std::string_view meant = closest_name(word.text, names);
  line.fail(word.column,
            fmt::format("'{}' is not a command; expected one of: {}", CommandLine::shown(word.text),
                        fmt::join(names, ", ")),
            meant.empty() ? "Write one command per line, such as: send 1 128"
                          : fmt::format("Did you mean '{}'?", meant));
}

Port parse_peer(CommandLine& line, const KindEntry& entry, Port self, std::uint32_t nodes,
                std::uint32_t* column = nullptr) {
  const bool receives = entry.kind == CommandKind::blocking_receive;
  const CommandWord word =
      line.next_word(receives ? "the number of a PE or 'any'" : "the number of a PE", entry.form);
  if (column != nullptr) *column = static_cast<std::uint32_t>(word.column);
  if (receives && word.text == "any") return PeCommand::kAny;
  const bool digits = !word.text.empty() && std::all_of(word.text.begin(), word.text.end(),
                                                        [](char c) { return c >= '0' && c <= '9'; });
  const std::string last = std::to_string(nodes - 1);
  if (!digits)
    line.fail(word.column, fmt::format("'{}' is not the number of a PE", CommandLine::shown(word.text)),
              fmt::format("Give a number from 0 to {}{}.", last, receives ? ", or 'any'" : ""));
  std::uint64_t peer = 0;
  for (const char c : word.text)
    peer = std::min<std::uint64_t>(peer * 10 + static_cast<unsigned>(c - '0'), nodes);
  if (peer >= nodes)
    line.fail(word.column,
              fmt::format("there is no PE {}: the last is {}", CommandLine::shown(word.text), last),
              "Give a PE that has a command file, or more --nodes.");
  if (peer == self)
    line.fail(word.column, fmt::format("PE {} cannot {} itself", self, receives ? "receive from" : "send to"),
              fmt::format("Name another PE: this is the file of PE {}.", self));
  return static_cast<Port>(peer);
}

Bytes parse_size(CommandLine& line, const KindEntry& entry) {
  const CommandWord word = line.next_word("a number of bytes", entry.form);
  const Bytes bytes = line.at(word, [&] { return parse_limited_bytes(word.text, entry.name); });
  if (bytes > kLargestSend)
    line.fail(word.column, fmt::format("{}: {} are too many", entry.name, format_bytes(bytes)),
              fmt::format("Give at most {}.", format_bytes(kLargestSend)));
  return bytes;
}

Time parse_wait(CommandLine& line, const KindEntry& entry) {
  const CommandWord word = line.next_word("a time", entry.form);
  const Time time = line.at(word, [&] { return parse_time(word.text, entry.name); });
  if (time > kLongestWait)
    line.fail(word.column, fmt::format("wait: {} is too long", to_string(time)),
              fmt::format("Give at most {}.", to_string(kLongestWait)));
  return time;
}

std::shared_ptr<WorkingSetWords> parse_name(CommandLine& line, const KindEntry& entry) {
  const CommandWord word = line.next_word("the name of a working set", entry.form);
  const bool plain = std::all_of(word.text.begin(), word.text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  });
  if (!plain || word.text.size() > kLongestName)
    line.fail(word.column,
              fmt::format("'{}' is not the name of a working set", CommandLine::shown(word.text)),
              fmt::format("Give at most {} letters, digits, '-', '_' and '.'.", kLongestName));
  auto words = std::make_shared<WorkingSetWords>();
  words->name = word.text;
  words->column = static_cast<std::uint32_t>(word.column);
  return words;
}

using SwappedIn = std::vector<std::shared_ptr<const WorkingSetWords>>;

/// Parses one line. `swapped_in` is the stack of sets that this PE has swapped in; the call updates it.
PeCommand parse_line(CommandLine& line, std::uint32_t number, Port self, std::uint32_t nodes,
                     SwappedIn& swapped_in) {
  const std::size_t column = line.first_column();
  const KindEntry& entry = parse_kind(line);
  PeCommand command;
  command.kind = entry.kind;
  command.line = number;
  command.column = static_cast<std::uint32_t>(column);
  switch (entry.kind) {
    case CommandKind::send:
    case CommandKind::blocking_send:
      command.peer = parse_peer(line, entry, self, nodes);
      command.bytes = parse_size(line, entry);
      break;
    case CommandKind::broadcast:
      command.bytes = parse_size(line, entry);
      break;
    case CommandKind::blocking_receive:
      command.peer = parse_peer(line, entry, self, nodes);
      break;
    case CommandKind::wait:
      command.time = parse_wait(line, entry);
      break;
    case CommandKind::store: {
      const auto words = parse_name(line, entry);
      do words->destinations.push_back(parse_peer(line, entry, self, nodes, &words->columns.emplace_back()));
      while (!line.at_end());
      command.set = words;
      break;
    }
    case CommandKind::preload:
      command.set = parse_name(line, entry);
      if (!swapped_in.empty())
        line.fail(column, fmt::format("preload while '{}' is swapped in", swapped_in.back()->name),
                  "Write swap-out before it.");
      break;
    case CommandKind::swap_in:
      swapped_in.push_back(parse_name(line, entry));
      command.set = swapped_in.back();
      break;
    case CommandKind::swap_out:
      if (swapped_in.empty())
        line.fail(column, "swap-out without a swap-in of this PE",
                  "Write swap-in NAME before it, or leave it out.");
      command.set = swapped_in.back();
      swapped_in.pop_back();
      break;
    case CommandKind::barrier:
    case CommandKind::flush:
      break;
  }
  line.expect_end(entry.form);
  return command;
}

}  // namespace

std::string_view name_of(PeCommand::Kind kind) {
  return std::find_if(kKinds.begin(), kKinds.end(), [&](const KindEntry& e) { return e.kind == kind; })->name;
}

std::string to_string(const PeCommand& command) {
  std::string text(name_of(command.kind));
  switch (command.kind) {
    case CommandKind::send:
    case CommandKind::blocking_send:
      return fmt::format("{} {} {}", text, command.peer, command.bytes);
    case CommandKind::broadcast:
      return fmt::format("{} {}", text, command.bytes);
    case CommandKind::blocking_receive:
      return text + " " + (command.peer == PeCommand::kAny ? "any" : std::to_string(command.peer));
    case CommandKind::wait:
      return text + " " + to_string(command.time);
    case CommandKind::store:
      return fmt::format("{} {} {}", text, command.set->name, fmt::join(command.set->destinations, " "));
    case CommandKind::preload:
    case CommandKind::swap_in:
      return text + " " + command.set->name;
    case CommandKind::barrier:
    case CommandKind::swap_out:
    case CommandKind::flush:
      return text;
  }
  return text;
}

std::vector<PeCommand> parse_commands(std::string_view text, const std::string& name, Port self,
                                      std::uint32_t nodes) {
  std::vector<PeCommand> commands;
  std::uint32_t number = 0;
  SwappedIn swapped_in;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    CommandLine line(text.substr(0, end), name, ++number);
    if (!line.empty()) commands.push_back(parse_line(line, number, self, nodes, swapped_in));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return commands;
}

}  // namespace hybrid
