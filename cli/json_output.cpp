#include "cli/json_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file_size_signal.h"
#include "core/new_file.h"
#include "libhybrid/report/report_json.h"

namespace hybrid {

namespace fs = std::filesystem;

namespace {

// A link that leads nowhere yet counts: what it names would be made.
bool is_file(const std::string& path) {
  std::error_code ignored;
  const fs::file_status target = fs::status(path, ignored);
  return fs::is_regular_file(target) ||
         (!fs::exists(target) && fs::is_symlink(fs::symlink_status(path, ignored)));
}

}  // namespace

bool is_same_path(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  const auto path = [&](const std::string& given) {
    fs::path whole = fs::weakly_canonical(fs::absolute(given, error), error);
    return whole.has_filename() ? whole : whole.parent_path();
  };
  return path(a) == path(b);
}

void ResultOutput::declare(CommandLine& line, const std::string& format, const std::string& names) {
  line.add_option(
      names.empty() ? option_ : names, "FILE|-",
      "write the result as " + format + " into a new file; -: to standard output, instead of the text",
      target_);
}

void ResultOutput::check() const {
  if (!wanted() || owns_stdout()) return;
  const fs::path folder = fs::path(target_).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    throw UserError(option_ + ": no directory '" + folder.string() + "'", "Create it, or name another file.");
  if (fs::is_directory(target_, ignored))
    throw UserError(option_ + ": '" + target_ + "' is a directory", "Name a file in it.");
  if (is_file(target_))
    throw UserError(option_ + ": '" + target_ + "' exists already; nothing is overwritten",
                    "Remove it, or give another name.");
  const auto refuse = [this] {
    throw UserError(option_ + ": cannot write '" + target_ + "': " + std::strerror(errno),
                    "Name a file in a directory that you may write to.");
  };
  if (fs::exists(target_, ignored)) {  // a device or a pipe
    if (::access(target_.c_str(), W_OK) != 0) refuse();
    return;
  }
  if (!NewFile(target_).begin()) refuse();
}

void ResultOutput::check_another(const std::string& option, const std::string& path) const {
  if (!owns_stdout() && is_same_path(path, target_))
    throw UserError(option_ + ": '" + target_ + "' is the name for --" + option + ", too", "Give two names.");
}

void JsonOutput::write(const nlohmann::ordered_json& json) const {
  if (wanted()) write_text(json_text(json));
}

void JsonOutput::write_file_of(const std::string& path) const {
  std::error_code ignored;
  if (!wanted() || fs::equivalent(path, this->path(), ignored)) return;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) throw RunError("cannot read " + path);
  write_text(text);
}

void ResultOutput::write_text(const std::string& text) const {
  const auto put = [&text](std::FILE* file) {
    return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  };
  if (owns_stdout()) {
    if (!put(stdout)) throw RunError(std::string("cannot write standard output: ") + std::strerror(errno));
    return;
  }
  const FileSizeSignalGuard guard;
  std::error_code ignored;
  const auto require = [this](bool done) {
    if (!done) throw RunError("cannot write " + target_ + ": " + std::strerror(errno));
  };
  if (fs::exists(target_, ignored) && !is_file(target_)) {  // a device or a pipe
    std::FILE* const file = std::fopen(target_.c_str(), "w");
    require(file != nullptr);
    const bool written = put(file);
    const int reason = errno;
    const bool closed = std::fclose(file) == 0;
    if (!written) errno = reason;
    return require(written && closed);
  }
  NewFile file(target_);
  require(file.begin());
  require(put(file.stream()));
  require(file.finish());
}

}  // namespace hybrid
