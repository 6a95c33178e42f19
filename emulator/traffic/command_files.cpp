// Search for the command files of the PEs in the directory or under the path prefix that the user gave.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

#include "core/error.h"
#include "emulator/traffic/commands.h"

namespace hybrid {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMostPes = 16'384;  // ports of a switch

/// Reads the number at the end of a file name, without extension, into `pe`. Returns false if there is none:
/// the file is not a command file.
bool read_pe(const std::string& file, std::uint64_t& pe) {
  const std::string stem = fs::path(file).stem().string();
  std::size_t begin = stem.size();
  while (begin > 0 && stem[begin - 1] >= '0' && stem[begin - 1] <= '9') --begin;
  if (begin == stem.size()) return false;
  pe = 0;
  for (const char c : stem.substr(begin))
    pe = std::min<std::uint64_t>(pe * 10 + static_cast<unsigned>(c - '0'), kMostPes);
  return true;
}

std::vector<fs::path> find_candidates(const std::string& given) {
  std::error_code error;
  const bool directory = fs::is_directory(given, error);
  const fs::path path(given);
  fs::path folder = directory ? path : path.parent_path();
  if (folder.empty()) folder = ".";
  const std::string prefix = directory ? "" : path.filename().string();
  std::vector<fs::path> found;
  fs::directory_iterator entries(folder, error);
  if (error)
    throw UserError(
        fmt::format("commands: cannot read the directory '{}': {}", folder.string(), error.message()),
        "Give a directory with one command file per PE, or the common beginning of their paths.");
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || !name.starts_with(prefix) || !entry.is_regular_file(error)) continue;
    found.push_back(directory || !path.parent_path().empty() ? folder / name : fs::path(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Returns the files in order of their PEs.
std::vector<fs::path> files_of(const std::string& given) {
  std::map<std::uint64_t, fs::path> by_pe;
  for (const fs::path& file : find_candidates(given)) {
    std::uint64_t pe = 0;
    if (!read_pe(file.filename().string(), pe)) continue;
    if (pe >= kMostPes)
      throw UserError(fmt::format("commands: '{}' belongs to a PE above the largest number, {}",
                                  file.string(), kMostPes - 1),
                      "The number at the end of a file name is its PE.");
    const auto [place, is_new] = by_pe.insert({pe, file});
    if (!is_new)
      throw UserError(fmt::format("commands: '{}' and '{}' are both files of PE {}", place->second.string(),
                                  file.string(), pe),
                      "Keep one of them, or give a longer common beginning of the paths.");
  }
  if (by_pe.empty())
    throw UserError(
        fmt::format("commands: no command file in '{}'", given),
        "Expected one file per PE, with the number of the PE at the end of its name: pe0.txt, pe1.txt, ...");
  std::vector<fs::path> files;
  for (const auto& [pe, file] : by_pe) {
    if (pe != files.size())
      throw UserError(
          fmt::format("commands: PE {} has no file, but PE {} has '{}'", files.size(), pe, file.string()),
          "PEs are numbered from 0; a PE that only receives has an empty file.");
    files.push_back(file);
  }
  return files;
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  if (in) text.assign(std::istreambuf_iterator<char>(in), {});
  if (!in || in.bad()) throw UserError("commands: " + unreadable(file.string(), errno));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a byte order mark
  return text;
}

}  // namespace

std::uint32_t count_command_files(const std::string& path) {
  return static_cast<std::uint32_t>(files_of(path).size());
}

std::vector<CommandFile> read_command_files(const std::string& path, std::uint32_t nodes) {
  const std::vector<fs::path> paths = files_of(path);
  nodes = std::max(nodes, static_cast<std::uint32_t>(paths.size()));
  std::vector<CommandFile> files;
  for (const fs::path& file : paths) {
    const std::string name = file.string();
    files.push_back({name, parse_commands(read_text(file), name, static_cast<Port>(files.size()), nodes)});
  }
  files.resize(nodes);
  return files;
}

}  // namespace hybrid
