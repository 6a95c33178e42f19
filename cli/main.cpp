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

std::string overview(std::size_t width) {
  constexpr std::size_t kNames = 14, kExamples = 44;
  std::string text =
      wrap("hybrid: what a hybrid circuit/wormhole switch would do for an MPI program", 0, width) +
      "\nUsage: hybrid SUB-COMMAND [OPTIONS]\n\nSub-commands:\n";
  for (const Listing& listing : listings())
    if (listing.kind == Command::kKind) text += two_columns(listing.name, listing.description, kNames, width);
  text += "\n" +
          wrap(
              "`hybrid SUB-COMMAND --help` explains each. Exit codes: 0 done, 1 the program or run failed, 2 "
              "bad usage or input.",
              0, width) +
          "\nExamples:\n";
  const std::size_t column = width < 2 * kExamples ? 6 : kExamples;
  for (const auto& [command, meaning] :
       {std::pair{"hybrid run -n 16 -- ./my_app",
                  "run a program and see what a hybrid switch would do for it"},
        std::pair{"hybrid replay hybrid-my_app-1 --slots 8", "the same job again, with 8 circuits per cycle"},
        std::pair{"hybrid doctor", "is this machine ready"}})
    text += two_columns(command, meaning, column, width);
  return text;
}

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
  std::string first = words.front();
  words.erase(words.begin());
  if (first == "help" && !words.empty()) {
    first = words.front();
    words = {"--help"};
  }
  if (first == "-h" || first == "--help" || first == "help") {
    std::fputs(overview(terminal_width(stdout)).c_str(), stdout);
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
    std::fprintf(stderr, "hybrid: %s\n", error.what());
    return kUsage;
  } catch (const std::bad_alloc&) {
    std::fputs(
        "hybrid: out of memory\n  Give fewer --nodes or --slots: tables grow with N x N and with K x N.\n",
        stderr);
    return kFailed;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hybrid: %s\n", error.what());
    return kFailed;
  }
}

}  // namespace
}  // namespace hybrid

int main(int argc, char** argv) { return hybrid::run_and_report(argc, argv); }
