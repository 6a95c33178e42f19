// hybrid-fortran-directives [--free|--fixed] [-I FOLDER]... SOURCE OUTPUT
//
// hybridfort runs this program on a file before flang. It replaces the `!hyb$` lines of SOURCE by calls
// (rewrite.h), also in the files that it includes, and writes the result to OUTPUT. Without such lines no
// file is written. Wrong directives are reported like flang's errors, with exit code 1 (those that an #if may
// skip are reported by flang). Exit code 2: a file cannot be read or written.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "clang_plugin/fortran/rewrite.h"

namespace {

using namespace hybrid::fortran;  // NOLINT(google-build-using-namespace): this is the main program

int fail(const std::string& text) {
  std::cerr << "hybrid-fortran-directives: " << text << "\n";
  return 2;
}

void report(const Wrong& wrong, const Source& source) {
  const Line& line = source.lines[wrong.at.line];
  std::string text = line.text;
  std::replace(text.begin(), text.end(), '\t', ' ');
  std::cerr << line.path << ":" << line.number << ":" << wrong.at.column << ": error: " << wrong.text
            << "\n  " << text << "\n  " << std::string(wrong.at.column - 1, ' ') << "^\n";
  for (std::size_t at = line.included_at; at != kNotIncluded; at = source.includes[at].included_at)
    std::cerr << source.includes[at].path << ":" << source.includes[at].number
              << ":1: error: included here\n";
}

std::optional<std::string> read_file(const std::string& path) {
  if (std::error_code error; !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream input(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(input), {}};
  if (!input) return std::nullopt;
  return text;
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> files, folders;
  bool is_free = false, is_fixed = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--free")
      is_free = true;
    else if (word == "--fixed")
      is_fixed = true;
    else if (word == "-I" && i + 1 < count)
      folders.emplace_back(words[++i]);
    else if (word.starts_with("-I"))
      folders.push_back(word.substr(2));
    else
      files.push_back(word);
  }
  if (files.size() != 2)
    return fail("usage: hybrid-fortran-directives [--free|--fixed] [-I FOLDER]... SOURCE OUTPUT");
  const auto text = read_file(files[0]);
  if (!text) return fail(files[0] + ": cannot be read");
  const Form form = is_free ? Form::free : is_fixed ? Form::fixed : form_of(files[0]);
  const Source source = read_source(files[0], *text, form, folders, read_file);
  if (source.directives.empty() && source.wrong.empty()) return 0;
  const Rewritten rewritten = rewrite(source);
  for (const Wrong& wrong : rewritten.wrong) report(wrong, source);
  if (!rewritten.wrong.empty()) return 1;
  std::ofstream output(files[1], std::ios::binary);
  output << rewritten.text;
  return output.flush() ? 0 : fail(files[1] + ": cannot be written");
}
