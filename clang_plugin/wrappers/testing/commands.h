// What the tests of the wrappers share: commands in the test's folder, and a program with directives.
#pragma once

#include <string>
#include <utility>

namespace hybrid::wrappers_test {

extern const std::string kBin;  // the folder of the executables, "/" at its end

/// The files of a program whose ranks send around a ring in phases of their own; `next` is a function of the
/// second.
extern const char kProgram[];
extern const char kNext[];

extern const std::pair<int, std::string> kSilence;  // what a command that says nothing gives

void write(const std::string& name, const std::string& text);

/// The exit code and the output of a command in the test's folder.
std::pair<int, std::string> here(const std::string& command);

/// What `hybrid hints` prints of a program for four nodes.
std::string hints(const std::string& program);

/// Records a program of the test's folder at so many ranks.
void record(const std::string& program, int ranks, const std::string& output);

}  // namespace hybrid::wrappers_test
