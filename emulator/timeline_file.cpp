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
  encoding_ = make_timeline_encoding(path, file_.stream());
  encoding_->process(kSwitchProcess, "switch");
  encoding_->thread(kSwitchProcess, kSlotThread, "TDM slots");
  for (Port port = 0; port < ports; ++port) {
    encoding_->process(process_of(port), fmt::format("port {}", port));
    encoding_->thread(process_of(port), kPeThread, "PE");
    encoding_->thread(process_of(port), kLinkThread, "link out");
    encoding_->thread(process_of(port), kInThread, "in");
  }
}

void TimelineFile::finish() {
  encoding_->end();
  if (file_.finish()) return;
  if (errno == EEXIST)
    throw RunError("timeline: '" + path_ + "' was created by another program",
                   "Name a new file; existing files are not overwritten.");
  throw RunError("timeline: cannot write '" + path_ + "'", "Is the disk full?");
}

void TimelineFile::offered(Time from, std::uint32_t transfer, const Message& message) {
  if (known_.size() <= transfer) known_.resize(transfer + 1);
  known_[transfer] = {from, message};
}

void TimelineFile::generated(Time until, std::uint32_t transfer) {
  const auto& [from, message] = known_.at(transfer);
  encoding_->slice(process_of(message.connection.source), kPeThread, from, until,
                   fmt::format("to {}", message.connection.destination),
                   {{"message", message.id >> 32}, {"bytes", message.bytes}});
}

/// Names the threads of the channels up to `channel`.
void TimelineFile::name_channels(Port port, std::uint32_t channel) {
  for (std::uint32_t& m = channels_.at(port); m < channel;) {
    ++m;
    encoding_->thread(process_of(port), kLinkThread + 2 * m, fmt::format("link out, circuits {}", m));
    encoding_->thread(process_of(port), kInThread + 2 * m, fmt::format("in, circuits {}", m));
  }
}

void TimelineFile::words(const WordSpan& span, Port port, unsigned thread, const std::string& peer) {
  name_channels(port, span.channel);
  TimelineArguments arguments{{"message", known_.at(span.transfer).message.id >> 32},
                              {"words", span.starts.count}};
  if (span.slot != WordSpan::kNoSlot) arguments.emplace_back("slot", span.slot);
  encoding_->slice(process_of(port), thread + 2 * span.channel, span.starts.first, span.end(),
                   (span.worm ? "worm " : "circuit ") + peer, arguments);
}

void TimelineFile::on_link(const WordSpan& span) {
  words(span, span.connection.source, kLinkThread, fmt::format("to {}", span.connection.destination));
}

void TimelineFile::out_of_fabric(const WordSpan& span) {
  words(span, span.connection.destination, kInThread, fmt::format("from {}", span.connection.source));
}

void TimelineFile::waited(Time from, Time until, Connection c, bool worm) {
  encoding_->stretch(process_of(c.source), kLinkThread, waits_++, from, until,
                     fmt::format("{} to {} waits", worm ? "worm" : "circuit", c.destination));
}

void TimelineFile::slot(Time begin, Time end, std::uint32_t slot, bool wormhole, Time unusable) {
  encoding_->slice(kSwitchProcess, kSlotThread, begin, end, wormhole ? "S_W" : fmt::format("slot {}", slot),
                   {});
  if (unusable > Time{})
    encoding_->slice(kSwitchProcess, kSlotThread, begin, begin + unusable, "guard, reconfiguration", {});
}

void TimelineFile::in_rank(std::uint32_t rank, std::uint32_t location, Time from, Time until,
                           std::string_view what) {
  const std::uint32_t process = process_of(static_cast<Port>(channels_.size())) + rank;
  if (rank >= ranks_named_.size()) ranks_named_.resize(rank + 1);
  if (!ranks_named_[rank]) encoding_->process(process, fmt::format("rank {}", rank));
  ranks_named_[rank] = true;
  const std::uint32_t thread = location + 1;
  if (location >= locations_named_.size()) locations_named_.resize(location + 1);
  if (!locations_named_[location]) encoding_->thread(process, thread, fmt::format("thread {}", location));
  locations_named_[location] = true;
  encoding_->slice(process, thread, from, until, what, {});
}

}  // namespace hybrid
