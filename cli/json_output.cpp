#include "cli/json_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file_size_signal.h"
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

// False, with errno: `to` exists, or the file system fails.
bool rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;  // else: a file system that cannot promise it
  struct stat there{};
  if (::lstat(to.c_str(), &there) == 0) {
    errno = EEXIST;
    return false;
  }
  return std::rename(from.c_str(), to.c_str()) == 0;
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

void ResultOutput::declare(CLI::App& app, const std::string& format) {
  app.add_option(
         option_, target_,
         "write the result as " + format + " into a new file; -: to standard output, instead of the text")
      ->type_name("FILE|-")
      ->take_last();
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
  const std::string path = part();
  const int made = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made < 0) refuse();
  ::close(made);
  ::unlink(path.c_str());
}

void ResultOutput::check_another(const std::string& option, const std::string& path) const {
  if (!owns_stdout() && is_same_path(path, target_))
    throw UserError(option_ + ": '" + target_ + "' is the name for --" + option + ", too", "Give two names.");
}

std::string ResultOutput::part() const { return target_ + ".part-" + std::to_string(::getpid()); }

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
  const bool device = fs::exists(target_, ignored) && !is_file(target_);
  const std::string path = device ? target_ : part();
  const auto fail = [&](int reason) {
    if (!device) ::unlink(path.c_str());
    throw RunError("cannot write " + target_ + ": " + std::strerror(reason));
  };
  // Under another name until it is whole.
  std::FILE* const file = std::fopen(path.c_str(), device ? "w" : "wx");
  if (file == nullptr) throw RunError("cannot write " + target_ + ": " + std::strerror(errno));
  const bool written = put(file);
  const int reason = errno;
  if (std::fclose(file) != 0 || !written) fail(written ? errno : reason);
  if (!device && !rename_to_new(path, target_)) fail(errno);
}

}  // namespace hybrid
