// The `hybrid` command: finds the sub-command, parses its options, runs it, and turns exceptions into an exit
// code.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "core/error.h"
#include "core/file_size_signal.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

int run_command(const std::string& name, std::vector<std::string> words) {
  const std::unique_ptr<Command> command = CommandRegistration::make(name);
  CommandLine line("hybrid " + name);
  command->declare(line);
  const auto program = line.parse(std::move(words));
  if (!program) return kDone;  // the help is printed
  // Under `ulimit -f` a write then fails instead of ending the process, and the incomplete file is removed. A
  // program that is started inherits the signal's default action.
  std::optional<FileSizeSignalGuard> guard;
  if (!line.takes_program()) guard.emplace();
  return command->run(*program);
}

int dispatch(std::vector<std::string> words) {
  if (words.empty()) throw UserError("no sub-command given", "See `hybrid --help`.");
  const std::string first = words.front();
  words.erase(words.begin());
  if (first == "help")  // `hybrid help --slots` is about an option
    for (std::string& word : words)
      if (word.starts_with("--") && word != "--help") word.erase(0, 2);
  if (first == "-h" || first == "--help") {
    print_text(overview(terminal_width(stdout)), stdout);
    return kDone;
  }
  if (first == "--version") {
    std::puts("hybrid " HYBRID_VERSION);
    return kDone;
  }
  if (first.starts_with("-"))
    throw UserError("unknown option '" + first + "' before a sub-command", "See `hybrid --help`.");
  return run_command(first, std::move(words));
}

int run_and_report(int argc, char** argv) {
  try {
    int code = dispatch({argv + 1, argv + argc});
    // A full disk under standard output is detected only here.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw RunError("cannot write to standard output");
    return code;
  } catch (const UserError& error) {
    print_message(Severity::error, error.what());
    return kUsage;
  } catch (const std::bad_alloc&) {
    print_message(Severity::error,
                  "out of memory\n  Give fewer --nodes or --slots: tables grow with N x N and with K x N.");
    return kFailed;
  } catch (const std::exception& error) {
    print_message(Severity::error, error.what());
    return kFailed;
  }
}

}  // namespace
}  // namespace hybrid

// Settings of jemalloc, if linked: huge pages. An emulation visits the state of thousands of ports in random
// order; with pages of 4 KB it spends most of its time on address translation.
extern "C" __attribute__((visibility("default"))) const char* const malloc_conf;
const char* const malloc_conf = "thp:always,metadata_thp:auto";

int main(int argc, char** argv) { return hybrid::run_and_report(argc, argv); }
