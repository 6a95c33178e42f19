// C18 (D 1.1.2, 2.1.1): the NAS benchmarks, recorded: most messages are short, a few long ones carry most of
// the data, and the compiler knows most destinations, or the code that computes them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/shell.h"
#include "core/temporary_directory.h"
#include "emulator/claims/claim.h"
#include "emulator/replay/phase_hints.h"
#include "emulator/replay/replay.h"
#include "emulator/replay/trace_format.h"

namespace hybrid::c18 {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArchive = ".tar.xz", kHints = "-hints";
constexpr double kPercent = 80;      // the rule's two numbers
constexpr double kFewMessages = 20;  // percent

/// Number of messages by size.
using Sizes = std::map<Bytes, std::uint64_t>;

/// What a job sends.
struct Traffic {
  std::uint64_t messages = 0;
  double bytes = 0;
  Sizes sizes;
  /// Messages and bytes of collectives, and over connections that the compiler's hints contain.
  std::uint64_t collective = 0, hinted = 0;
  double collective_bytes = 0, hinted_bytes = 0;

  void operator+=(const Traffic& other) {
    messages += other.messages;
    bytes += other.bytes;
    for (const auto& [size, count] : other.sizes) sizes[size] += count;
    collective += other.collective;
    hinted += other.hinted;
    collective_bytes += other.collective_bytes;
    hinted_bytes += other.hinted_bytes;
  }

  /// The smallest size such that 80 % of the messages have at most this size.
  Bytes size_of_messages() const {
    std::uint64_t count = 0;
    for (const auto& [size, n] : sizes) {
      count += n;
      if (static_cast<double>(count) * 100 >= kPercent * static_cast<double>(messages)) return size;
    }
    return 0;
  }
  /// The largest size such that the messages of at least this size carry 80 % of the data, and their share of
  /// all messages in percent; of the shortest of them only as many as are needed.
  std::pair<Bytes, double> size_of_data() const {
    const double wanted = bytes * kPercent / 100;
    double carried = 0, count = 0;
    for (auto at = sizes.rbegin(); at != sizes.rend(); ++at) {
      const auto size = static_cast<double>(at->first), n = static_cast<double>(at->second);
      if (carried + size * n >= wanted)
        return {at->first,
                100 * (count + (size > 0 ? (wanted - carried) / size : 0)) / static_cast<double>(messages)};
      carried += size * n;
      count += n;
    }
    return {0, 100};
  }
  double known_messages() const {
    return 100 * static_cast<double>(collective + hinted) / static_cast<double>(messages);
  }
  double known_bytes() const { return bytes > 0 ? 100 * (collective_bytes + hinted_bytes) / bytes : 100; }
};

Traffic traffic_of(const std::string& path) {
  const PhaseHints hints = read_recorded_hints(*open_trace(path));
  Traffic traffic;
  const auto job = open_trace(path);
  for_each_sent(*job, {}, [&](const SentMessage& message) {
    const auto bytes = static_cast<double>(message.bytes);
    ++traffic.messages;
    traffic.bytes += bytes;
    ++traffic.sizes[message.bytes];
    if (message.purpose == SentMessage::Purpose::collective) {
      ++traffic.collective;
      traffic.collective_bytes += bytes;
    } else if (message.phase != kNoPhase) {
      const auto phase = hints.phases.find(job->region_name(message.phase));
      if (phase == hints.phases.end() ||
          !phase->second.contains({message.source_rank, message.destination_rank}))
        return;
      ++traffic.hinted;
      traffic.hinted_bytes += bytes;
    }
  });
  return traffic;
}

/// Name and archive of each recorded job, by name; with hints, if it is recorded with and without them.
std::map<std::string, std::string> archives(const std::string& directory) {
  std::map<std::string, std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string file = entry.path().filename();
    if (file.ends_with(kArchive)) found[file.substr(0, file.size() - kArchive.size())] = entry.path();
  }
  if (found.empty())
    throw UserError("C18: " + directory + " contains no recorded jobs (*.tar.xz)",
                    "Give the directory of libhybrid's examples/traces with --traces DIR.");
  std::erase_if(found,
                [all = found](const auto& job) { return all.contains(job.first + std::string(kHints)); });
  return found;
}

Traffic unpack_and_read(const std::string& archive) {
  const TemporaryDirectory directory;
  if (!unpack(archive, directory.path()))
    throw UserError(archive + ": tar cannot unpack it", "It needs tar and xz (Debian: xz-utils).");
  std::string path;
  for (const auto& entry : fs::directory_iterator(directory.path())) path = entry.path();
  return traffic_of(path);
}

std::vector<ClaimTable::Cell> row_of(const std::string& name, const Traffic& traffic) {
  const auto rounded = [](double percent) { return std::round(percent * 10) / 10; };
  const auto [size, share] = traffic.size_of_data();
  const double all = static_cast<double>(traffic.messages);
  return {name,
          all,
          static_cast<double>(traffic.size_of_messages()),
          static_cast<double>(size),
          rounded(share),
          rounded(100 * static_cast<double>(traffic.collective) / all),
          rounded(100 * static_cast<double>(traffic.hinted) / all),
          rounded(100 - traffic.known_messages()),
          rounded(traffic.known_bytes())};
}

class C18 final : public Claim {
 public:
  std::string_view place() const override { return "D 1.1.2, 2.1.1"; }
  bool has_models() const override { return false; }  // no switch takes part
  bool reads_traces() const override { return true; }

  ClaimResult run(const ClaimContext& context) const override {
    const auto jobs = archives(context.traces);
    std::vector<std::pair<std::string, Traffic>> rows;
    std::vector<std::string> paths;
    for (const auto& [name, path] : jobs) {
      rows.emplace_back(name, Traffic{});
      paths.push_back(path);
    }
    run_jobs(context, rows.size(), [&](std::size_t i) { rows[i].second = unpack_and_read(paths[i]); });
    Traffic all;
    for (const auto& [name, traffic] : rows) all += traffic;

    ClaimResult result;
    ClaimTable table{
        "c18-nas",
        "What the recorded NAS benchmarks send",
        {"job", "messages", "80 % of the messages: bytes, at most", "80 % of the data: bytes, at least",
         "messages with 80 % of the data, %", "collectives, % of messages", "hinted, %", "dynamic, %",
         "collectives and hinted, % of data"},
        {},
        {}};
    for (const auto& [name, traffic] : rows) table.rows.push_back(row_of(name, traffic));
    table.rows.push_back(row_of("all", all));
    const Bytes longest_of_all = all.sizes.empty() ? 0 : all.sizes.rbegin()->first;
    table.notes = {fmt::format(
        "D 1.1.2: 80 % of the messages have 27,040 bytes or less, 80 % of the data is in messages of 184,960 "
        "bytes or more. These recordings cannot test it: their longest message has {} bytes, and D states no "
        "class.",
        longest_of_all)};
    double least_known = 100;
    for (const auto& [name, traffic] : rows) least_known = std::min(least_known, traffic.known_bytes());
    table.notes.push_back(
        fmt::format("Collective and hinted messages: at least {:.0f} % of each job's data.", least_known));
    result.tables.push_back(std::move(table));

    const auto more_than_half = [&rows](std::string statement, double (Traffic::*share)() const) {
      ClaimCheck check{std::move(statement), true, ""};
      for (const auto& [name, traffic] : rows) {
        check.holds = check.holds && (traffic.*share)() > 50;
        check.figures +=
            fmt::format("{}{} {:.6g}", check.figures.empty() ? "" : ", ", name, (traffic.*share)());
      }
      return check;
    };
    double least_share = 100, most_share = 0;
    for (const auto& [name, traffic] : rows) {
      least_share = std::min(least_share, traffic.size_of_data().second);
      most_share = std::max(most_share, traffic.size_of_data().second);
    }
    result.checks = {
        {"80 % of the data is in messages that are longer than 80 % of the messages, over all benchmarks",
         all.size_of_messages() < all.size_of_data().first,
         fmt::format(
             "80 % of the messages: at most {} bytes; 80 % of the data: in messages of at least {} bytes",
             all.size_of_messages(), all.size_of_data().first)},
        {"'a small number of long messages': 80 % of the data in at most 20 % of the messages, over all "
         "benchmarks",
         all.size_of_data().second <= kFewMessages,
         fmt::format("80 % of the data in {:.1f} % of the messages; by benchmark {:.1f} to {:.1f} %",
                     all.size_of_data().second, least_share, most_share)},
        more_than_half("static and dynamically analysable communication: more than half of the messages of "
                       "each benchmark",
                       &Traffic::known_messages),
        more_than_half("and more than half of the data of each benchmark", &Traffic::known_bytes)};
    result.choices = {
        "the recorded jobs of examples/traces: NPB 3.3, classes S and W, 16 ranks, fewer iterations",
        "collectives count as the messages that MPICH expands them into; their pattern is known from "
        "communicator and root (D 1.1.2: \"very regular\")",
        "static or analysable, which a trace does not tell apart: the compiler's hints, recorded when the "
        "phase began, contain the message's connection"};
    return result;
  }
};

const ClaimRegistration kC18{"C18",
                             "NAS: few long messages carry the data, and most destinations are known early",
                             []() -> std::unique_ptr<Claim> { return std::make_unique<C18>(); }};

}  // namespace
}  // namespace hybrid::c18
