#include "emulator/timeline_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"

namespace hybrid {

namespace {

/// Channel m of a split link has the threads kLinkThread + 2 m and kInThread + 2 m.
enum Thread : unsigned { kPeThread = 1, kLinkThread = 2, kInThread = 3 };
constexpr unsigned kSwitchProcess = 0, kSlotThread = 1;

unsigned process_of(Port port) { return port + 1; }

/// In microseconds.
std::string stamp(Time t) { return fmt::format("{}.{:06}", t.ps / 1'000'000, t.ps % 1'000'000); }

std::string complete(std::string_view name, unsigned process, unsigned thread, Time from, Time until,
                     std::string_view arguments) {
  return fmt::format(R"({{"ph":"X","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})", name,
                     process, thread, stamp(from), stamp(until - from), arguments);
}

std::string named(std::string_view what, unsigned process, unsigned thread, std::string_view name) {
  return fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":"{}"}}}})", what, process,
                     thread, name);
}

}  // namespace

TimelineFile::TimelineFile(const std::string& path, std::uint32_t ports)
    : path_(path), file_(path), channels_(ports, 0) {
  if (path == "-") throw UserError("timeline: cannot be written to standard output", "Name a new file.");
  if (!file_.begin()) {
    if (errno == EEXIST)
      throw UserError("timeline: '" + path + "' exists already",
                      "Name a new file; existing files are not overwritten.");
    throw UserError("timeline: cannot create '" + path + "': " + std::strerror(errno),
                    "Name a new file in a directory that exists and that you may write to.");
  }
  std::fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file_.stream());
  write(named("process_name", kSwitchProcess, 0, "switch"));
  write(named("thread_name", kSwitchProcess, kSlotThread, "TDM slots"));
  for (Port port = 0; port < ports; ++port) {
    write(named("process_name", process_of(port), 0, fmt::format("port {}", port)));
    write(named("thread_name", process_of(port), kPeThread, "PE"));
    write(named("thread_name", process_of(port), kLinkThread, "link out"));
    write(named("thread_name", process_of(port), kInThread, "in"));
  }
}

void TimelineFile::finish() {
  std::fputs("\n]}\n", file_.stream());
  if (file_.finish()) return;
  if (errno == EEXIST)
    throw RunError("timeline: '" + path_ + "' was created by another program",
                   "Name a new file; existing files are not overwritten.");
  throw RunError("timeline: cannot write '" + path_ + "'", "Is the disk full?");
}

void TimelineFile::write(const std::string& event) {
  if (!first_) std::fputs(",\n", file_.stream());
  first_ = false;
  std::fputs(event.c_str(), file_.stream());
}

void TimelineFile::offered(Time from, std::uint32_t transfer, const Message& message) {
  if (known_.size() <= transfer) known_.resize(transfer + 1);
  known_[transfer] = {from, message};
}

void TimelineFile::generated(Time until, std::uint32_t transfer) {
  const auto& [from, message] = known_.at(transfer);
  write(complete(fmt::format("to {}", message.connection.destination), process_of(message.connection.source),
                 kPeThread, from, until,
                 fmt::format(R"("message":{},"bytes":{})", message.id >> 32, message.bytes)));
}

/// Names the threads of the channels up to `channel`.
void TimelineFile::name_channels(Port port, std::uint32_t channel) {
  for (std::uint32_t& m = channels_.at(port); m < channel;) {
    ++m;
    write(
        named("thread_name", process_of(port), kLinkThread + 2 * m, fmt::format("link out, circuits {}", m)));
    write(named("thread_name", process_of(port), kInThread + 2 * m, fmt::format("in, circuits {}", m)));
  }
}

void TimelineFile::words(const WordSpan& span, Port port, unsigned thread, const std::string& peer) {
  name_channels(port, span.channel);
  std::string arguments =
      fmt::format(R"("message":{},"words":{})", known_.at(span.transfer).message.id >> 32, span.starts.count);
  if (span.slot != WordSpan::kNoSlot) arguments += fmt::format(R"(,"slot":{})", span.slot);
  write(complete((span.worm ? "worm " : "circuit ") + peer, process_of(port), thread + 2 * span.channel,
                 span.starts.first, span.end(), arguments));
}

void TimelineFile::on_link(const WordSpan& span) {
  words(span, span.connection.source, kLinkThread, fmt::format("to {}", span.connection.destination));
}

void TimelineFile::out_of_fabric(const WordSpan& span) {
  words(span, span.connection.destination, kInThread, fmt::format("from {}", span.connection.source));
}

void TimelineFile::waited(Time from, Time until, Connection c, bool worm) {
  const std::string common = fmt::format(
      R"("cat":"waiting","name":"{} to {} waits","id":{},"pid":{},"tid":{})", worm ? "worm" : "circuit",
      c.destination, waits_++, process_of(c.source), unsigned{kLinkThread});
  write(fmt::format(R"({{"ph":"b",{},"ts":{}}})", common, stamp(from)));
  write(fmt::format(R"({{"ph":"e",{},"ts":{}}})", common, stamp(until)));
}

void TimelineFile::slot(Time begin, Time end, std::uint32_t slot, bool wormhole, Time unusable) {
  write(
      complete(wormhole ? "S_W" : fmt::format("slot {}", slot), kSwitchProcess, kSlotThread, begin, end, ""));
  if (unusable > Time{})
    write(complete("guard, reconfiguration", kSwitchProcess, kSlotThread, begin, begin + unusable, ""));
}

}  // namespace hybrid
