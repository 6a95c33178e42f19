// Output files of the PEs (D 8.3.1: "this information along with its arrival time is stored in the output
// file").
#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX's
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "emulator/traffic/command_run.h"

namespace hybrid {

namespace {

/// `t` in ns, exact: "12.345".
std::string nanoseconds_text(Time t) {
  std::string text = std::to_string(t.ps / 1000);
  const std::int64_t rest = t.ps % 1000;
  if (rest == 0) return text;
  text += fmt::format(".{:03}", rest);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string peer_text(const PeCommand& command) {
  using Kind = PeCommand::Kind;
  if (command.kind == Kind::broadcast) return "all";
  const bool has_one = command.kind == Kind::send || command.kind == Kind::blocking_send ||
                       command.kind == Kind::blocking_receive;
  if (!has_one) return "-";
  return command.peer == PeCommand::kAny ? "any" : std::to_string(command.peer);
}

[[noreturn]] void refuse_existing(const std::string& option, const std::string& directory) {
  throw UserError(fmt::format("{}: '{}' exists already", option, directory),
                  "Name a new directory: existing files are never overwritten.");
}

}  // namespace

std::string record_text(const CommandFile& file, const PeRecord& record) {
  using Kind = PeCommand::Kind;
  std::string text = "what\tline\tpeer\tbytes\tstarted_ns\tcompleted_ns\n";
  for (std::size_t i = 0; i < file.commands.size(); ++i) {
    const PeCommand& command = file.commands[i];
    const bool sends =
        command.kind == Kind::send || command.kind == Kind::blocking_send || command.kind == Kind::broadcast;
    text +=
        fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", name_of(command.kind), command.line, peer_text(command),
                    sends ? std::to_string(command.bytes) : "-", nanoseconds_text(record.commands[i].started),
                    nanoseconds_text(record.commands[i].completed));
  }
  for (const CommandArrival& a : record.arrivals)
    text += fmt::format("arrival\t{}\t{}\t{}\t{}\t{}\n", a.line, a.source, a.bytes, nanoseconds_text(a.sent),
                        nanoseconds_text(a.arrived));
  return text;
}

void check_new_directory(const std::string& option, const std::string& directory) {
  std::error_code error;
  const std::filesystem::path path(directory);
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error)))
    refuse_existing(option, directory);
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  if (!std::filesystem::is_directory(parent, error))
    throw UserError(fmt::format("{}: there is no directory '{}'", option, parent.string()),
                    "Name a new directory below one that exists.");
  // Only an attempt shows whether a directory can be created there.
  std::string trial = (parent / "hybrid-part-XXXXXX").string();
  if (::mkdtemp(trial.data()) == nullptr)
    throw UserError(
        fmt::format("{}: cannot make the directory '{}': {}", option, directory, std::strerror(errno)),
        "Name one in a directory with write permission.");
  ::rmdir(trial.c_str());
}

void write_records(const std::string& directory, const std::vector<CommandFile>& files,
                   const CommandResult& result) {
  if (::mkdir(directory.c_str(), 0777) != 0) {
    if (errno == EEXIST) refuse_existing("commands-output", directory);
    throw RunError(
        fmt::format("commands-output: cannot make the directory '{}': {}", directory, std::strerror(errno)));
  }
  std::vector<std::string> written;
  for (std::size_t pe = 0; pe < files.size(); ++pe) {
    if (files[pe].name.empty()) continue;
    const std::string path = fmt::format("{}/pe{}.tsv", directory, pe);
    written.push_back(path);
    std::ofstream out(path, std::ios::binary);
    out << record_text(files[pe], result.pes[pe]);
    out.close();
    if (out) continue;
    const int reason = errno;
    std::error_code ignored;
    for (const std::string& file : written) std::filesystem::remove(file, ignored);
    std::filesystem::remove(directory, ignored);
    throw RunError(fmt::format("commands-output: cannot write '{}': {}", path, std::strerror(reason)));
  }
}

}  // namespace hybrid
