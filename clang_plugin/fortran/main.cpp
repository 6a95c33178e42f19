// hybrid-fortran-directives [--free|--fixed] [-I FOLDER]... SOURCE OUTPUT
//
// hybridfort runs this program on a file before flang. It replaces the `!hyb$` lines of SOURCE by calls
// (rewrite.h) and writes the result to OUTPUT; included files with such lines go to separate folders next to
// OUTPUT. Without such lines no file is written. Wrong directives are reported like flang's errors, with exit
// code 1 (in files that an #if may skip, flang reports them). Exit code 2: a file cannot be read or written.
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

void report(const WrongDirective& wrong, const UnitFile& file) {
  std::string line = file.source.lines[wrong.at.line - 1];
  std::replace(line.begin(), line.end(), '\t', ' ');
  std::cerr << file.path << ":" << wrong.at.line << ":" << wrong.at.column << ": error: " << wrong.what()
            << "\n  " << line << "\n  " << std::string(wrong.at.column - 1, ' ') << "^\n";
}

std::optional<std::string> read_file(const std::string& path) {
  if (std::error_code error; !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  std::ifstream input(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(input), {}};
  if (!input) return std::nullopt;
  return text;
}

bool write_file(const std::string& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  std::ofstream output(path, std::ios::binary);
  output << text;
  return static_cast<bool>(output.flush());
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
  const Unit unit = read_unit(files[0], *text, form, folders, read_file);
  bool is_wrong = false;
  for (const UnitFile& file : unit.files) {
    if (!file.is_read) continue;
    for (const WrongDirective& wrong : file.wrong) report(wrong, file);
    is_wrong |= !file.wrong.empty();
  }
  if (is_wrong) return 1;
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(files[1]).parent_path();
  std::vector<std::string> copies{files[1]};
  for (std::size_t i = 1; i < unit.files.size(); ++i)
    copies.push_back(folder / ("included-" + std::to_string(i)) / fs::path(unit.files[i].path).filename());
  for (std::size_t i = 0; i < unit.files.size(); ++i)
    if (unit.files[i].changes && !write_file(copies[i], rewrite(unit, i, copies)))
      return fail(copies[i] + ": cannot be written");
  return 0;
}
