#include "emulator/replay/trace_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/error.h"
#include "emulator/replay/receive_order.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<TraceFormat> find_format(const std::string& path) {
  for (const std::string_view name : registered_names(TraceFormat::kKind))
    if (auto format = TraceFormatRegistration::make(name); format->recognises(path)) return format;
  return nullptr;
}

std::string known_formats() {
  std::vector<std::string> formats;
  for (const std::string_view name : registered_names(TraceFormat::kKind))
    formats.push_back(fmt::format("{} ({})", name, TraceFormatRegistration::make(name)->expected()));
  return fmt::format("Known formats: {}.", fmt::join(formats, ", "));
}

/// The file name of the only trace in a directory.
std::string find_trace_in(const std::string& directory) {
  std::vector<std::string> traces;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (find_format(entry.path()) != nullptr) traces.push_back(entry.path().filename());
  std::sort(traces.begin(), traces.end());
  if (traces.empty()) {
    const bool several = fs::is_directory(fs::path(directory) / "run-1");  // `hybrid run --repeats`
    throw UserError(
        fmt::format("{}: no trace in this directory", directory),
        several ? fmt::format("Name its runs: {0}/run-1 {0}/run-2 ...", directory) : known_formats());
  }
  if (traces.size() > 1)
    throw UserError(
        fmt::format("{}: {} traces in this directory: {}", directory, traces.size(), fmt::join(traces, ", ")),
        "Name one of them.");
  return traces.front();
}

std::unique_ptr<JobTrace> open_with(const TraceFormat& format, const std::string& path) {
  std::unique_ptr<JobTrace> trace = format.open(path);
  return has_threads(*trace) ? order_receives(std::move(trace), *format.open(path)) : std::move(trace);
}

}  // namespace

std::unique_ptr<JobTrace> open_trace(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) throw UserError(unreadable(path, code.value()));
  try {
    if (const auto format = find_format(path)) return open_with(*format, path);
    if (fs::is_directory(status)) {
      const std::string trace = (fs::path(path) / find_trace_in(path)).string();
      return open_with(*find_format(trace), trace);
    }
  } catch (const fs::filesystem_error& e) {
    throw UserError(unreadable(path, e.code().value()));
  }
  const bool packed = fs::path(path).stem().extension() == ".tar" || fs::path(path).extension() == ".tar" ||
                      fs::path(path).extension() == ".tgz" || fs::path(path).extension() == ".zip";
  throw UserError(fmt::format("{}: not a trace that can be replayed", path),
                  packed ? "It is an archive: unpack it, and name the directory that it contains."
                         : "Expected a trace, or a directory that holds one. " + known_formats());
}

}  // namespace hybrid
