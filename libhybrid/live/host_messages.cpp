#include "libhybrid/live/host_messages.h"

namespace hybrid {

namespace {

constexpr std::uint8_t kVersion = 1;
enum class MessageKind : std::uint8_t { commands = 1, rows = 2 };

class Writer {
 public:
  explicit Writer(std::span<std::byte> out) : out_(out) {}
  template <class Unsigned>
  void put(Unsigned value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
      out_[used_++] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
  }
  std::size_t used() const { return used_; }

 private:
  std::span<std::byte> out_;
  std::size_t used_ = 0;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> in) : in_(in) {}
  template <class Unsigned>
  Unsigned get() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
      value |= std::to_integer<std::uint64_t>(in_[used_++]) << (8 * i);
    return static_cast<Unsigned>(value);
  }

 private:
  std::span<const std::byte> in_;
  std::size_t used_ = 0;
};

Writer begin(MessageKind kind, std::size_t count, std::span<std::byte> message) {
  Writer w(message);
  w.put(static_cast<std::uint8_t>('H'));
  w.put(static_cast<std::uint8_t>('L'));
  w.put(kVersion);
  w.put(static_cast<std::uint8_t>(kind));
  w.put(static_cast<std::uint32_t>(count));
  return w;
}

}  // namespace

std::size_t encode(std::span<const TimedCommand> entries, std::span<std::byte> message) {
  Writer w = begin(MessageKind::commands, entries.size(), message);
  for (const TimedCommand& command : entries) {
    w.put(static_cast<std::uint64_t>(command.at.ps));
    w.put(command.rank);
    w.put(command.destination);
    w.put(static_cast<std::uint32_t>(command.kind));
    w.put(std::uint32_t{0});
  }
  return w.used();
}

std::size_t encode(std::span<const RowUpdate> entries, std::span<std::byte> message) {
  Writer w = begin(MessageKind::rows, entries.size(), message);
  for (const RowUpdate& row : entries) {
    w.put(row.bits);
    w.put(row.grants);
    w.put(row.port);
    w.put(row.word);
  }
  return w.used();
}

bool decode(std::span<const std::byte> message, std::vector<TimedCommand>& commands,
            std::vector<RowUpdate>& rows) {
  if (message.size() < kHostMessageHeader) return false;
  Reader r(message);
  if (r.get<std::uint8_t>() != 'H' || r.get<std::uint8_t>() != 'L' || r.get<std::uint8_t>() != kVersion)
    return false;
  const auto kind = static_cast<MessageKind>(r.get<std::uint8_t>());
  const auto count = r.get<std::uint32_t>();
  if (message.size() != kHostMessageHeader + std::size_t{count} * kHostMessageEntry) return false;
  switch (kind) {
    case MessageKind::commands:
      for (std::uint32_t i = 0; i < count; ++i) {
        TimedCommand command;
        command.at.ps = static_cast<std::int64_t>(r.get<std::uint64_t>());
        command.rank = r.get<std::uint32_t>();
        command.destination = r.get<std::uint32_t>();
        command.kind = static_cast<CommandKind>(r.get<std::uint32_t>());
        r.get<std::uint32_t>();
        commands.push_back(command);
      }
      return true;
    case MessageKind::rows:
      for (std::uint32_t i = 0; i < count; ++i) {
        RowUpdate row;
        row.bits = r.get<std::uint64_t>();
        row.grants = r.get<std::uint64_t>();
        row.port = r.get<std::uint32_t>();
        row.word = r.get<std::uint32_t>();
        rows.push_back(row);
      }
      return true;
  }
  return false;
}

}  // namespace hybrid
