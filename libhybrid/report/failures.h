// Texts for techniques whose emulation did not reach the end of the job.
#pragma once

#include <string>
#include <vector>

#include "libhybrid/report/job_report.h"

namespace hybrid {

/// The text of an error without line breaks.
std::string in_one_line(const std::string& text);

/// One line per reason: "tdm with K = 4, circuit: rank 1 waits for ever ...". Empty without failures.
std::vector<std::string> failure_lines(const JobReport& report);

/// Appends the failed techniques to the sentence of the verdict.
void add_to_verdict(JobReport& report);

/// Message for the user after the report is written.
struct FailureText {
  std::string text;       // "" without failures
  bool of_trace = false;  // the cause of all failures is the trace
};
FailureText failures_of(const JobReport& report);

}  // namespace hybrid
