// Techniques that did not come to the job's end: what is said of them, and how a command ends that meets one.
#pragma once

#include <string>
#include <vector>

#include "libhybrid/report/job_report.h"

namespace hybrid {

/// An error's text without its line breaks.
std::string in_one_line(const std::string& text);

/// "tdm with K = 4, circuit: rank 1 waits for ever ...": one line for each reason. Empty where all is well.
std::vector<std::string> failure_lines(const JobReport& report);

/// The verdict's sentence leaves out who failed: it says so.
void add_to_verdict(JobReport& report);

/// What to tell the user when the report stands, and whether it is the trace that is at fault.
struct FailureText {
  std::string text;  // "" where all is well
  bool of_trace = false;
};
FailureText failures_of(const JobReport& report);

}  // namespace hybrid
