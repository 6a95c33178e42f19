// Checks functions.def and excluded.def against the installed MPI headers.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// "NAME ... : rest" of each line that is not a comment.
std::vector<std::pair<std::vector<std::string>, std::string>> lines_of(const std::string& path) {
  std::vector<std::pair<std::vector<std::string>, std::string>> result;
  std::istringstream lines(text_of(path));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t at = line.find(" : ");
    EXPECT_NE(at, std::string::npos) << line;
    std::istringstream names(line.substr(0, at));
    result.push_back({{std::istream_iterator<std::string>(names), {}}, line.substr(at + 3)});
  }
  return result;
}

const std::string kFolder = HYBRID_SHIM_SOURCE_DIR;
const std::string kHeaders = HYBRID_MPI_HEADER_DIR;

// Removes comments and preprocessor lines, and reduces white space to single blanks.
std::string plain(const std::string& header) {
  std::string text = std::regex_replace(header, std::regex(R"(/\*([^*]|\*(?!/))*\*/)"), " ");
  text = std::regex_replace(text, std::regex("(^|\n)#[^\n]*"), "\n");
  return std::regex_replace(text, std::regex(R"(\s+)"), " ");
}

// Returns every function that the headers declare, with the parameters of its first declaration.
std::map<std::string, std::string> declared() {
  std::map<std::string, std::string> result;
  for (const char* name : {"/mpi_proto.h", "/mpi.h", "/mpio.h"}) {
    const std::string text = plain(text_of(kHeaders + name));
    // A declaration starts after ';' or '}' or a blank and has a result type in front of its name.
    static const std::regex kDeclaration(
        R"((?:^ ?|[;{}] |" )(?:extern )?(?:\w+) \*?(MPIX?_\w+)\(([^;{}]*?)\) (?:MPICH|ROMIO)_[^;]*(?=;))");
    for (std::sregex_iterator i(text.begin(), text.end(), kDeclaration), end; i != end; ++i)
      result.emplace((*i)[1], (*i)[2]);
  }
  return result;
}

std::set<std::string> in_table() {
  std::set<std::string> names;
  for (const auto& [line, handler] : lines_of(kFolder + "/functions.def")) {
    for (std::string name : line) {
      if (name.front() == '!') name.erase(0, 1);
      const bool large = name.back() == '+';
      if (large) name.pop_back();
      EXPECT_TRUE(names.insert(name).second) << name << " is there twice";
      if (!large) continue;
      EXPECT_TRUE(names.insert(name + "_c").second) << name << "_c is there twice";
    }
  }
  return names;
}

struct Exclusions {
  std::set<std::string> names;
  std::vector<std::string> prefixes;
  bool covers(const std::string& name) const {
    if (names.contains(name)) return true;
    for (const std::string& prefix : prefixes)
      if (name.starts_with(prefix)) return true;
    return false;
  }
};

Exclusions excluded() {
  Exclusions result;
  for (const auto& [line, reason] : lines_of(kFolder + "/excluded.def")) {
    EXPECT_GT(reason.size(), 4u) << line.front() << " has no reason";
    for (const std::string& name : line) {
      if (name.back() == '*')
        result.prefixes.push_back(name.substr(0, name.size() - 1));
      else
        EXPECT_TRUE(result.names.insert(name).second) << name << " is there twice";
    }
  }
  return result;
}

TEST(FunctionTable, HeadersDeclareTheFunctionsOfMpich) {
  const auto functions = declared();
  EXPECT_GT(functions.size(), 600u);
  for (const char* name : {"MPI_Send", "MPI_Send_c", "MPI_Psend_init", "MPI_Isendrecv", "MPI_Session_init",
                           "MPI_Neighbor_alltoallw_init_c", "MPI_File_iread_at_all_c", "MPIX_Comm_shrink"})
    EXPECT_TRUE(functions.contains(name)) << name;
  EXPECT_EQ(functions.at("MPI_Ssend"),
            "const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm");
}

TEST(FunctionTable, EveryFunctionIsInterceptedOrExcludedWithAReason) {
  const auto table = in_table();
  const Exclusions exclusions = excluded();
  for (const auto& [name, parameters] : declared())
    EXPECT_TRUE(table.contains(name) != exclusions.covers(name))
        << name
        << (table.contains(name) ? " is both in the table and excluded"
                                 : " is neither in functions.def nor in excluded.def");
}

TEST(FunctionTable, NamesOnlyFunctionsOfMpich) {
  const auto functions = declared();
  for (const std::string& name : in_table()) EXPECT_TRUE(functions.contains(name)) << name;
  for (const std::string& name : excluded().names) EXPECT_TRUE(functions.contains(name)) << name;
}

// The compiler rejects a wrapper that contradicts mpi.h; this test finds wrappers that the generator omits.
TEST(FunctionTable, WrappersHaveTheSignaturesOfTheHeader) {
  const auto functions = declared();
  std::map<std::string, std::string> wrappers;
  std::istringstream paths(HYBRID_GENERATED_WRAPPERS);
  for (std::string path; std::getline(paths, path, ':');) {
    const std::string text = text_of(path);
    static const std::regex kWrapper(R"(HYBRID_SHIM_EXPORT \w+ (P?MPIX?_\w+)\(([^{]*)\) \{)");
    for (std::sregex_iterator i(text.begin(), text.end(), kWrapper), end; i != end; ++i)
      wrappers.emplace((*i)[1], (*i)[2]);
  }
  const auto table = in_table();
  EXPECT_EQ(wrappers.size(), 2 * table.size());
  for (const std::string& name : table) {
    std::string expected = functions.at(name);
    if (expected == "void") expected.clear();
    EXPECT_EQ(wrappers[name], expected) << name;
    EXPECT_EQ(wrappers["P" + name], expected) << name;
  }
}

}  // namespace
