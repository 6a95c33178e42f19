// hybrid-fortran-directives [--free|--fixed] SOURCE OUTPUT
//
// What hybridfort does with a file before flang gets it: writes SOURCE with its `!hyb$` lines turned into
// calls (rewrite.h) to OUTPUT. Without such lines no file is written. Wrong directives are told as flang
// would, exit code 1; what cannot be read or written, 2.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "clang_plugin/fortran/rewrite.h"

namespace {

using namespace hybrid::fortran;  // NOLINT(google-build-using-namespace): the program's own

int refuse(const std::string& text) {
  std::cerr << "hybrid-fortran-directives: " << text << "\n";
  return 2;
}

void tell(const WrongDirective& wrong, const std::string& path, const std::string& line) {
  std::cerr << path << ":" << wrong.at.line << ":" << wrong.at.column << ": error: " << wrong.what() << "\n  "
            << line << "\n  " << std::string(wrong.at.column - 1, ' ') << "^\n";
}

// For the place's line in a message.
std::string line_of(const std::string& text, std::size_t number) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i < number && begin < text.size(); ++i)
    begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> files;
  bool is_free = false, is_fixed = false;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--free")
      is_free = true;
    else if (word == "--fixed")
      is_fixed = true;
    else
      files.push_back(word);
  }
  if (files.size() != 2) return refuse("usage: hybrid-fortran-directives [--free|--fixed] SOURCE OUTPUT");
  std::ifstream input(files[0], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  if (!input) return refuse(files[0] + ": cannot be read");
  const Form form = is_free ? Form::free : is_fixed ? Form::fixed : form_of(files[0]);
  std::vector<WrongDirective> wrong;
  const auto rewritten = rewrite(text, files[0], form, wrong);
  for (const WrongDirective& one : wrong) tell(one, files[0], line_of(text, one.at.line));
  if (!wrong.empty()) return 1;
  if (!rewritten) return 0;
  std::ofstream output(files[1], std::ios::binary);
  output << *rewritten;
  return output.flush() ? 0 : refuse(files[1] + ": cannot be written");
}
