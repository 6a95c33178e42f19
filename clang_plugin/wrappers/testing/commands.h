// Helpers of the wrappers' tests: commands in the test's folder, and a program with directives.
#pragma once

#include <string>
#include <utility>

namespace hybrid::wrappers_test {

extern const std::string kBin;  // the folder of the executables, "/" at its end

/// The two files of a program whose ranks send around a ring in phases. The second file defines `next`.
extern const char kProgram[];
extern const char kNext[];

extern const std::pair<int, std::string> kSilence;  // result of a successful command without output

void write(const std::string& name, const std::string& text);

/// Runs a command in the test's folder. Returns its exit code and output.
std::pair<int, std::string> here(const std::string& command);

/// Returns the output of `hybrid hints` of a program for four nodes.
std::string hints(const std::string& program);

/// Records a program of the test's folder.
void record(const std::string& program, int ranks, const std::string& output);

}  // namespace hybrid::wrappers_test
