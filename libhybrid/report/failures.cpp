#include "libhybrid/report/failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hybrid {

namespace {

std::string name(const TechniqueFailure& failure) {
  return failure.slots == 0 ? failure.technique
                            : fmt::format("{} with K = {}", failure.technique, failure.slots);
}

std::string names(const std::vector<TechniqueFailure>& failures) {
  std::string all;
  for (const TechniqueFailure& failure : failures) all += (all.empty() ? "" : ", ") + name(failure);
  return all;
}

}  // namespace

std::string in_one_line(const std::string& text) {
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      line += text[i];
      continue;
    }
    line += line.ends_with('.') ? " " : ". ";
    while (i + 1 < text.size() && text[i + 1] == ' ') ++i;
  }
  return line;
}

std::vector<std::string> failure_lines(const JobReport& report) {
  std::vector<std::pair<std::string, std::string>> by_reason;
  for (const TechniqueFailure& failure : report.failures) {
    const auto same = std::find_if(by_reason.begin(), by_reason.end(),
                                   [&](const auto& entry) { return entry.first == failure.reason; });
    if (same == by_reason.end())
      by_reason.emplace_back(failure.reason, name(failure));
    else
      same->second += ", " + name(failure);
  }
  std::vector<std::string> lines;
  lines.reserve(by_reason.size());
  for (const auto& [reason, techniques] : by_reason) lines.push_back(techniques + ": " + reason);
  return lines;
}

void add_to_verdict(JobReport& report) {
  std::string& sentence = report.verdict.sentence;
  if (sentence.empty())
    sentence = "No technique reached the end of the job, so there is nothing to compare.";
  else
    sentence += fmt::format(" Not compared, since the emulation did not reach the end of the job: {}.",
                            names(report.failures));
}

FailureText failures_of(const JobReport& report) {
  FailureText result;
  for (const std::string& line : failure_lines(report))
    result.text += (result.text.empty() ? "" : "\n") + line;
  result.of_trace = !report.failures.empty() &&
                    std::all_of(report.failures.begin(), report.failures.end(),
                                [](const TechniqueFailure& failure) { return failure.of_trace; });
  return result;
}

}  // namespace hybrid
