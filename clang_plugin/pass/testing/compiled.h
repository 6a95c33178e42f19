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

// Compiles the source in the test's folder. Returns the object file.
std::string compile(const Source& source, const std::string& options);

// Compiles the source. Returns its hints.
std::vector<HintUnit> hints_of(const Source& source, const std::string& options);

// Returns a text such as "MPI_Send static rank + 1 if rank < 3", or "MPI_Recv dynamic ..." for calls without
// an expression, whether they have an inspector or not; with the communicator unless it is MPI_COMM_WORLD.
std::string describe(const HintUnit& unit, const hybrid_site& site);
std::vector<std::string> describe(const std::vector<HintUnit>& units);

// Returns a C program with `body` in main, and with rank, size and a buffer.
Source c_program(const std::string& body, const std::string& globals = "");

// Runs a command. Returns its exit code and output.
std::pair<int, std::string> run(const std::string& command);

// The test's folder.
std::string folder();

}  // namespace hybrid::pass_test
