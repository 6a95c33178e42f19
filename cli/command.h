// A sub-command of `hybrid`: one file each, which registers itself; adding one touches no other file.
//
//   namespace { const CommandRegistration kList{"list", "what is registered: ...",
//       [] -> std::unique_ptr<Command> { return std::make_unique<ListCommand>(); }}; }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/registry.h"

namespace CLI {
class App;
}

namespace hybrid {

/// The exit codes of the command. Everything that goes wrong is thrown: UserError ends with `usage`, any
/// other exception with `failed` (main.cpp).
enum ExitCode : int { kDone = 0, kFailed = 1, kUsage = 2 };

class Command {
 public:
  static constexpr std::string_view kKind = "sub-command";
  virtual ~Command() = default;

  /// Adds options, positionals, description and examples. What it stores into lives as long as the command.
  virtual void declare(CLI::App& app) = 0;

  /// Runs with what was parsed. `after_dashes`: the words after "--", for commands that take_program().
  virtual int run(const std::vector<std::string>& after_dashes) = 0;

  /// Whether a program and its arguments may follow, after "--" or as the first word that is no option.
  virtual bool takes_program() const { return false; }
};

using CommandRegistration = Registration<Command>;

}  // namespace hybrid
