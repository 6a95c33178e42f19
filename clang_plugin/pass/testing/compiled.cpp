#include "clang_plugin/pass/testing/compiled.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "core/hints/notes.h"
#include "core/hints/print_expression.h"

namespace hybrid::pass_test {

std::string folder() {
  static const struct Folder {
    std::string path;
    Folder() {
      std::string pattern = std::filesystem::temp_directory_path() / "hybrid-pass-XXXXXX";
      if (!mkdtemp(pattern.data())) throw std::runtime_error("no folder for the test: " + pattern);
      path = pattern;
    }
    ~Folder() { std::filesystem::remove_all(path); }
  } folder;
  return folder.path;
}

std::pair<int, std::string> run(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return {-1, "cannot start " + command};
  std::string output;
  std::array<char, 4096> piece{};
  while (const size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) output.append(piece.data(), got);
  return {pclose(pipe), output};
}

std::string compile(const Source& source, const std::string& options) {
  const std::string path = folder() + "/" + source.name;
  std::ofstream(path) << source.text;
  const bool cpp = source.name.ends_with(".cpp"), fortran = source.name.ends_with(".f90");
  const std::string compiler = fortran ? HYBRID_TEST_FLANG
                               : cpp   ? HYBRID_TEST_CLANG " --driver-mode=g++"
                                       : HYBRID_TEST_CLANG;
  const std::string command = compiler + " " + options +
                              " -fpass-plugin=" HYBRID_TEST_PASS " -I" HYBRID_TEST_MPI + " -c " + path +
                              " -o " + path + ".o";
  const auto [code, output] = run(command);
  if (code != 0) throw std::runtime_error(command + "\n" + output);
  return path + ".o";
}

std::vector<HintUnit> hints_of(const Source& source, const std::string& options) {
  return read_hint_units(compile(source, options));
}

std::string describe(const HintUnit& unit, const hybrid_site& site) {
  std::string text(unit.text(site.call));
  text += site.site_class == HYBRID_STATIC ? " static" : " dynamic";
  if (site.peer != HYBRID_NONE) text += " " + print_expression(unit, site.peer);
  if (site.guard != HYBRID_NONE) text += " if " + print_expression(unit, site.guard);
  const std::string communicator = print_expression(unit, site.communicator);
  if (communicator != "MPI_COMM_WORLD") text += " in " + communicator;
  return text;
}

std::vector<std::string> describe(const std::vector<HintUnit>& units) {
  std::vector<std::string> lines;
  for (const HintUnit& unit : units)
    for (const hybrid_site& site : unit.sites) lines.push_back(describe(unit, site));
  return lines;
}

Source c_program(const std::string& body, const std::string& globals) {
  return {"program.c",
          "#include <mpi.h>\n#include <stdlib.h>\n#include <setjmp.h>\n"
          "static double buffer[64];\n"
          "#define SEND(peer) MPI_Send(buffer, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD)\n" +
              globals +
              "\nint main(int argc, char** argv) {\n  int rank, size;\n  MPI_Init(&argc, &argv);\n"
              "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n  MPI_Comm_size(MPI_COMM_WORLD, &size);\n" +
              body + "\n  MPI_Finalize();\n  return 0;\n}\n"};
}

}  // namespace hybrid::pass_test
