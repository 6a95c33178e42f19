#include "emulator/replay/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/error.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAnchorSuffix = ".otf2";

/// The archive's anchor file in a directory.
fs::path anchor_in(const fs::path& directory) {
  std::vector<std::string> anchors;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == kAnchorSuffix && !entry.is_directory())
      anchors.push_back(entry.path().filename());
  std::sort(anchors.begin(), anchors.end());
  if (anchors.empty())
    throw UserError(fmt::format("{}: no trace in this directory", directory.string()),
                    "Expected a file ending in .otf2, the anchor of an OTF2 archive.");
  if (anchors.size() > 1)
    throw UserError(fmt::format("{}: {} traces in this directory: {}", directory.string(), anchors.size(),
                                fmt::join(anchors, ", ")),
                    "Name one of them.");
  return directory / anchors.front();
}

}  // namespace

void reset(Operation& operation) {
  Operation fresh;
  fresh.counts_sent.swap(operation.counts_sent);
  fresh.counts_received.swap(operation.counts_received);
  fresh.neighbors_out.swap(operation.neighbors_out);
  fresh.neighbors_in.swap(operation.neighbors_in);
  fresh.group.swap(operation.group);
  fresh.group.clear();
  fresh.counts_sent.clear();
  fresh.counts_received.clear();
  fresh.neighbors_out.clear();
  fresh.neighbors_in.clear();
  std::swap(operation, fresh);
}

std::unique_ptr<JobTrace> open_trace(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) throw UserError(fmt::format("{}: no such file or directory", path));
  try {
    const std::string anchor = fs::is_directory(status) ? anchor_in(path).string() : path;
    if (!anchor.ends_with(kAnchorSuffix))
      throw UserError(
          fmt::format("{}: not a trace that can be replayed", anchor),
          "Expected the anchor file of an OTF2 archive, which ends in .otf2, or a directory that holds "
          "one.");
    return TraceFormatRegistration::make("otf2", anchor);
  } catch (const fs::filesystem_error& e) {
    throw UserError(fmt::format("{}: {}", path, e.code().message()));
  }
}

}  // namespace hybrid
