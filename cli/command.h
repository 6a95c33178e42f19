// A sub-command of `hybrid`: one file each, which registers itself. Adding one changes no other file.
//
//   namespace { const CommandRegistration kList{"list", "what is registered: ...",
//       [] -> std::unique_ptr<Command> { return std::make_unique<ListCommand>(); }}; }
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.h"
#include "core/registry.h"

namespace hybrid {

/// The exit codes of `hybrid`. Failures are thrown: main() turns a UserError into kUsage, any other exception
/// into kFailed. A command that a signal interrupts returns 128 + signal.
enum ExitCode : int { kDone = 0, kFailed = 1, kUsage = 2 };

class Command {
 public:
  static constexpr std::string_view kKind = "sub-command";
  virtual ~Command() = default;

  /// Adds description, arguments, options and examples. The variables that it names live as long as the
  /// command.
  virtual void declare(CommandLine& line) = 0;

  /// Runs with the values that were parsed. `program`: a program and its arguments
  /// (CommandLine::take_program), or empty. Returns an ExitCode.
  virtual int run(const std::vector<std::string>& program) = 0;
};

using CommandRegistration = Registration<Command>;

/// What `hybrid --help` prints: the sub-commands and examples.
std::string overview(std::size_t width);
/// The command line of a sub-command. Throws UserError for an unknown name.
CommandLine::Reference reference_of(std::string_view command);

}  // namespace hybrid
