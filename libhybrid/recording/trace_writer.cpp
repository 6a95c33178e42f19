#include "libhybrid/recording/trace_writer.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/file_size_signal.h"
#include "core/journal.h"
#include "emulator/replay/trace_names.h"
#include "libhybrid/recording/cpu_timeline.h"
#include "libhybrid/recording/journal_steps.h"
#include "libhybrid/recording/location_writer.h"
#include "libhybrid/recording/mpi_regions.h"
#include "libhybrid/recording/rank_clocks.h"
#include "libhybrid/recording/recording.h"
#include "libhybrid/recording/trace_archive.h"
#include "libhybrid/recording/trace_definitions.h"
#include "libhybrid/recording/unresolved_receives.h"

namespace hybrid {

namespace {

namespace names = trace_names;

constexpr std::uint64_t kNoTicks = UINT64_MAX;

std::string comma_separated(const std::vector<std::uint32_t>& ranks) {
  std::string out;
  for (const std::uint32_t rank : ranks) out.append(out.empty() ? "" : ",").append(std::to_string(rank));
  return out;
}

std::string host_of(const ProcessDefinitions& process) {
  const auto host = process.properties.find("host");
  return host == process.properties.end() ? std::string() : host->second;
}

// Writes the trace of one recording.
class TraceBuilder {
 public:
  TraceBuilder(const Recording& recording, TraceArchive& archive, const TraceProgress& progress)
      : recording_(recording), archive_(archive), progress_(progress) {}

  TraceSummary build() {
    read_headers();
    if (summary_.lost == 0 && summary_.missing.empty() && summary_.incomplete.empty())
      resolved_ = resolve_receives(recording_);
    RankClocks clocks(readings_);
    facts_ = job_facts(recording_);
    if (facts_["clock"] == "cpu")
      write_cpu_time(clocks);
    else
      write_wall_time(clocks);
    write_empty_locations();
    add_facts();
    write_definitions(archive_, recording_, {epoch_ns_, length_}, facts_);
    return summary_;
  }

 private:
  // Reads the header and the first and last event of each journal.
  void read_headers() {
    const auto& processes = recording_.definitions.processes;
    summary_.ranks = recording_.definitions.ranks;
    summary_.missing = recording_.missing;
    summary_.damaged = recording_.damaged;
    readings_.resize(processes.size());
    first_ticks_.resize(processes.size(), kNoTicks);
    threads_.resize(processes.size(), 0);
    for (std::size_t p = 0; p < processes.size(); ++p) readings_[p].host = host_of(processes[p]);
    for (const Recording::Thread& thread : recording_.threads) {
      const JournalReader journal(thread.journal);
      const JournalHeader& header = journal.header();
      ClockReading& reading = readings_[thread.process];
      if (reading.origin_ns == 0)
        reading = {reading.host, header.ticks_per_second, header.origin_ticks, header.origin_ns};
      JournalSteps steps(journal.events());
      JournalStep step;
      if (steps.next(step)) first_ticks_[thread.process] = std::min(first_ticks_[thread.process], step.begin);
      threads_[thread.process] = std::max(threads_[thread.process], thread.thread + 1);
      summary_.events += journal.size();
      summary_.lost += header.lost;
      const std::uint32_t rank = processes[thread.process].rank;
      const bool died = !journal.complete() && header.lost == 0 && journal.damage().empty();
      if (died && (summary_.incomplete.empty() || summary_.incomplete.back() != rank))
        summary_.incomplete.push_back(rank);
    }
  }

  RecordedLocation location(std::size_t thread, bool has_compute) const {
    const std::uint32_t process = recording_.threads[thread].process;
    return {recording_.definitions,
            recording_.definitions.processes[process],
            recording_.threads[thread].thread,
            threads_[process],
            has_compute,
            resolved_.empty() ? std::span<const ResolvedReceive>()
                              : std::span<const ResolvedReceive>(resolved_[thread])};
  }

  void write(LocationWriter& writer, const JournalStep& step, Time begin, Time end) {
    constexpr std::uint64_t kShownEvery = 4096;
    writer.write(step, begin, end);
    if (progress_ && ++written_ % kShownEvery == 0) progress_(written_, summary_.events);
  }

  void close(LocationWriter& writer) {
    length_ = std::max(length_, writer.close());
    undefined_ += writer.undefined();
    unresolved_ += writer.unresolved();
  }

  void write_wall_time(RankClocks& clocks) {
    const ClockCorrection correction = correct_clocks(recording_, clocks);
    if (clocks.domains() > 1) {
      facts_["clock_shift_ns"] = std::to_string(correction.largest_shift.ps / 1000);
      facts_["early_messages"] = std::to_string(correction.early_messages);
      facts_["clock_error_ns"] = std::to_string(correction.remaining.ps / 1000);
    }
    Time start = Time::never();
    for (std::uint32_t p = 0; p < first_ticks_.size(); ++p)
      if (first_ticks_[p] != kNoTicks) start = std::min(start, clocks.at(p, first_ticks_[p]));
    if (start == Time::never()) start = {};
    epoch_ns_ = clocks.epoch_ns() + static_cast<std::uint64_t>(start.ps / 1000);
    for_each_process(recording_,
                     [&](std::size_t first, std::size_t last) { write_process(first, last, clocks, start); });
  }

  void write_process(std::size_t first, std::size_t last, const RankClocks& clocks, Time start) {
    const std::uint32_t process = recording_.threads[first].process;
    OpenOperations open;
    std::vector<std::unique_ptr<LocationWriter>> writers;
    for (std::size_t i = first; i < last; ++i)
      writers.push_back(std::make_unique<LocationWriter>(location(i, false), archive_, open));
    for_each_step(recording_, first, last, [&](std::size_t thread, const JournalStep& step) {
      write(*writers[thread - first], step, clocks.at(process, step.begin) - start,
            clocks.at(process, step.end) - start);
    });
    for (const auto& writer : writers) close(*writer);
  }

  void write_cpu_time(const RankClocks& clocks) {
    epoch_ns_ = clocks.epoch_ns();
    std::vector<OpenOperations> open(recording_.definitions.processes.size());
    std::vector<std::unique_ptr<LocationWriter>> writers;
    writers.reserve(recording_.threads.size());
    for (std::size_t i = 0; i < recording_.threads.size(); ++i)
      writers.push_back(
          std::make_unique<LocationWriter>(location(i, true), archive_, open[recording_.threads[i].process]));
    CpuTimeline timeline(recording_, clocks);
    timeline.run([&](std::size_t thread, const JournalStep& step, Time begin, Time end) {
      write(*writers[thread], step, begin, end);
    });
    for (const auto& writer : writers) close(*writer);
    facts_["time_line"] = "CPU time between calls; calls last as long as they wait for others, else no time";
    if (timeline.given_up() != 0) facts_["waits_given_up"] = std::to_string(timeline.given_up());
  }

  // The group of MPI locations needs one per rank, so ranks without a journal get an empty one.
  void write_empty_locations() {
    for (std::uint32_t rank = 0; rank < summary_.ranks; ++rank) {
      const OTF2_LocationRef location = trace_ids::location(rank, 0);
      if (!archive_.locations().contains(location)) archive_.close_location(archive_.open_location(location));
    }
  }

  void add_facts() {
    facts_[std::string(names::kRanks)] = std::to_string(summary_.ranks);
    facts_[std::string(names::kLostEvents)] = std::to_string(summary_.lost + undefined_);
    if (unresolved_ != 0) facts_[std::string(names::kUnresolvedReceives)] = std::to_string(unresolved_);
    if (std::ranges::any_of(recording_.definitions.mpi_functions, [](const std::string& function) {
          return mpi_role(function) == OTF2_REGION_ROLE_FILE_IO;
        }))
      facts_[std::string(names::kMpiIo)] = "yes";
    if (!facts_.contains(names::kHosts)) {
      std::set<std::string> hosts;
      for (const ClockReading& reading : readings_) hosts.insert(reading.host);
      facts_.emplace(names::kHosts, std::to_string(hosts.size()));
    }
    const bool complete = summary_.missing.empty() && summary_.incomplete.empty() &&
                          summary_.damaged.empty() && summary_.lost == 0;
    facts_[std::string(names::kComplete)] = complete ? "yes" : "no";
    if (!summary_.missing.empty())
      facts_[std::string(names::kMissingRanks)] = comma_separated(summary_.missing);
    if (!summary_.incomplete.empty())
      facts_[std::string(names::kIncompleteRanks)] = comma_separated(summary_.incomplete);
  }

  const Recording& recording_;
  TraceArchive& archive_;
  const TraceProgress& progress_;
  std::uint64_t written_ = 0;  // steps
  TraceSummary summary_;
  std::vector<ClockReading> readings_;                  // by process
  std::vector<std::uint64_t> first_ticks_;              // by process
  std::vector<std::uint32_t> threads_;                  // by process: highest thread + 1
  std::vector<std::vector<ResolvedReceive>> resolved_;  // by thread; empty: none
  Facts facts_;
  std::uint64_t epoch_ns_ = 0;
  Time length_{};
  std::uint64_t undefined_ = 0;
  std::uint64_t unresolved_ = 0;
};

}  // namespace

std::string to_text(const TraceSummary& summary) {
  const auto of_ranks = [](const std::vector<std::uint32_t>& ranks) {
    return (ranks.size() == 1 ? "rank " : "ranks ") + comma_separated(ranks);
  };
  std::string text = "trace: " + summary.anchor + "\n";
  text += "  " + std::to_string(summary.ranks) + " ranks, " + std::to_string(summary.events) + " events\n";
  if (!summary.incomplete.empty())
    text += "  ended without MPI_Finalize: " + of_ranks(summary.incomplete) + "\n";
  if (!summary.missing.empty()) text += "  without a journal: " + of_ranks(summary.missing) + "\n";
  for (const std::string& why : summary.damaged) text += "  damaged: " + why + "\n";
  if (summary.lost != 0)
    text += "  lost because the disk was full: " + std::to_string(summary.lost) + " events\n";
  return text;
}

TraceSummary write_trace(const std::string& recording, const std::string& output,
                         const TraceProgress& progress) {
  const FileSizeSignalGuard guard;
  const Recording recorded = open_recording(recording);
  if (!std::filesystem::is_directory(output))
    throw UserError(output + ": not a directory; the trace is written into an existing one");
  TraceArchive archive(output);
  TraceSummary summary = TraceBuilder(recorded, archive, progress).build();
  archive.close();
  summary.anchor = archive.anchor();
  return summary;
}

}  // namespace hybrid
