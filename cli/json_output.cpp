#include "cli/json_output.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace hybrid {

void JsonOutput::declare(CLI::App& app) {
  app.add_option("--json", target_, "write the result as JSON; -: to standard output, instead of the text")
      ->type_name("FILE|-")
      ->take_last();
}

void JsonOutput::check() const {
  if (!wanted() || owns_stdout()) return;
  const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw UserError("--json: no directory '" + folder.string() + "'", "Create it, or name another file.");
  if (std::filesystem::is_directory(target_, ignored))
    throw UserError("--json: '" + target_ + "' is a directory", "Name a file in it.");
}

void JsonOutput::write(const nlohmann::ordered_json& json) const {
  if (wanted()) write_text(json.dump(2) + "\n");
}

void JsonOutput::write_file_of(const std::string& path) const {
  if (!wanted()) return;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) throw RunError("cannot read " + path);
  write_text(text);
}

void JsonOutput::write_text(const std::string& text) const {
  const auto put = [&text](std::FILE* file) {
    return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  };
  if (owns_stdout()) {
    if (!put(stdout)) throw RunError(std::string("cannot write standard output: ") + std::strerror(errno));
    return;
  }
  std::FILE* file = std::fopen(target_.c_str(), "w");
  const bool written = file != nullptr && put(file);
  if (file == nullptr || std::fclose(file) != 0 || !written)
    throw RunError("cannot write " + target_ + ": " + std::strerror(errno));
}

}  // namespace hybrid
