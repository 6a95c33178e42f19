#include "libhybrid/report/call_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "emulator/switching/bounds.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

namespace {

using Align = TextTable::Align;

// "halo.c:42, exchange": first what a narrow column must show. C++ functions without their parameters.
std::string place_of(const CallSite& site) {
  // "(anonymous namespace)::exchange(int)" begins with a parenthesis.
  const std::size_t scope = site.function.starts_with('(') ? site.function.find(')') : 0;
  const std::string function = site.function.substr(0, site.function.find('(', scope));
  if (site.file.empty()) return function;
  return fmt::format("{}:{}, {}", site.file.substr(site.file.rfind('/') + 1), site.line, function);
}

}  // namespace

std::string call_table(const JobReport& report, std::size_t width) {
  constexpr std::size_t kMostCalls = 10;
  constexpr double kLeastShare = 0.01;  // of the bytes, or of the communication time
  std::vector<const TechniqueResult*> shown;
  const auto show = [&](const TechniqueResult* result) {
    if (result != nullptr && std::ranges::find(shown, result) == shown.end()) shown.push_back(result);
  };
  show(find_technique(report.techniques, "wormhole"));
  const TechniqueResult* fastest = nullptr;
  for (const TechniqueResult& result : report.techniques)
    if (!is_bound(result.measures.technique) &&
        (fastest == nullptr || result.measures.time < fastest->measures.time))
      fastest = &result;
  show(fastest);

  std::vector<TextTable::Column> columns{{"call", Align::left}, {"in", Align::left}, {"messages"}, {"bytes"}};
  for (const TechniqueResult* result : shown)
    columns.push_back({result->measures.slots == 0
                           ? result->measures.technique
                           : fmt::format("{} K={}", result->measures.technique, result->measures.slots)});
  if (report.bounds.no_network) columns.push_back({"other ranks"});
  TextTable table(columns, 2);
  Bytes bytes = 0;
  for (const CallTraffic& one : report.calls) bytes += one.sent.bytes;
  const auto is_large = [&](const CallTraffic& one) {
    if (one.sent.bytes != 0 &&
        static_cast<double>(one.sent.bytes) >= kLeastShare * static_cast<double>(bytes))
      return true;
    return std::ranges::any_of(shown, [&](const TechniqueResult* result) {
      const Time wait = wait_in(result->call_waits, one.call);
      return wait.ps != 0 && static_cast<double>(wait.ps) >=
                                 kLeastShare * static_cast<double>(result->measures.communication_time.ps);
    });
  };
  std::size_t rows = 0;
  for (const CallTraffic& one : report.calls) {
    if (!is_large(one) || rows == kMostCalls) continue;
    ++rows;
    std::vector<std::string> cells{one.call.call, place_of(one.call.site),
                                   one.sent.messages == 0 ? "-" : grouped(one.sent.messages),
                                   one.sent.messages == 0 ? "-" : format_bytes(one.sent.bytes)};
    for (const TechniqueResult* result : shown)
      cells.push_back(short_time(wait_in(result->call_waits, one.call)));
    if (report.bounds.no_network)
      cells.push_back(short_time(wait_in(report.bounds.no_network->call_waits, one.call)));
    table.add(std::move(cells));
  }
  if (rows == 0) return {};
  std::string text =
      "\n" +
      wrap("Calls in the source (mean wait of a rank by technique, and its part for other ranks)", 0, width) +
      table.text(2, width);
  if (const std::size_t rest = report.calls.size() - rows; rest != 0)
    text += wrap(fmt::format("{} {} more, with less wait and traffic: in the page and the JSON result",
                             grouped(rest), rest == 1 ? "call" : "calls"),
                 2, width);
  return text;
}

}  // namespace hybrid
