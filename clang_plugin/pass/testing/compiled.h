// Small programs compiled with the pass, for tests: the sites of their notes as text.
#pragma once

#include <string>
#include <vector>

#include "core/hints/note_reader.h"

namespace hybrid::pass_test {

struct Source {
  std::string name;  // "a.c", "b.cpp", "c.f90"
  std::string text;
};

// The object file that compiling gives, in a folder of the test's own.
std::string compile(const Source& source, const std::string& options);

std::vector<HintUnit> hints_of(const Source& source, const std::string& options);

// "MPI_Send static rank + 1 if rank < 3", "MPI_Recv dynamic ..."; the communicator where it is not
// MPI_COMM_WORLD.
std::string describe(const HintUnit& unit, const hybrid_site& site);
std::vector<std::string> describe(const std::vector<HintUnit>& units);

// A C program around `body`, with rank, size and a buffer at hand.
Source c_program(const std::string& body, const std::string& globals = "");

// The exit code and the output of a command.
std::pair<int, std::string> run(const std::string& command);

std::string folder();

}  // namespace hybrid::pass_test
