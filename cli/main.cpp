// The `hybrid` command: finds the sub-command, parses its options, turns what is thrown into an exit code.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "core/error.h"
#include "core/file_size_signal.h"
#include "core/option.h"

namespace hybrid {
namespace {

std::string overview() {
  std::string text =
      "hybrid: what a hybrid circuit/wormhole switch would do for an MPI program\n\n"
      "Usage: hybrid SUB-COMMAND [OPTION...]\n\nSub-commands:\n";
  for (const Listing& listing : listings()) {
    if (listing.kind != Command::kKind) continue;
    std::string name(listing.name);
    name.resize(std::max<std::size_t>(name.size() + 2, 12), ' ');
    text += "  " + name + std::string(listing.description) + "\n";
  }
  return text +
         "\n`hybrid SUB-COMMAND --help` explains each. Exit codes: 0 done, 1 the program or run failed, 2 "
         "bad usage or "
         "input.\n\nExamples:\n"
         "  hybrid run -n 16 -- ./my_app             run a program and see what a hybrid switch would do for "
         "it\n"
         "  hybrid replay hybrid-my_app-1 --slots 8  the same job again, with 8 circuits per cycle\n"
         "  hybrid doctor                            is this machine ready\n";
}

std::vector<std::string_view> option_names(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

std::string see_help(const CLI::App& app) { return "See `" + app.get_name() + " --help`."; }

[[noreturn]] void refuse_word(const CLI::App& app, const std::string& word) {
  if (word.empty() || word[0] != '-') throw UserError("unexpected argument '" + word + "'", see_help(app));
  const std::string name = word.substr(0, word.find('='));
  std::string_view bare = name;
  while (bare.starts_with('-')) bare.remove_prefix(1);
  const std::string_view meant = closest_name(bare, option_names(app));
  throw UserError("unknown option '" + name + "'",
                  (meant.empty() ? "" : "Did you mean '--" + std::string(meant) + "'? ") + see_help(app));
}

/// A value that a script left empty would count as not given, and the result be plausible and wrong.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_min() > 0)
      option->check([](const std::string& value) { return value.empty() ? "empty" : std::string(); });
}

/// "--name=" of an option that takes a value would take the next word. What follows a program's name is the
/// program's.
void refuse_empty_assignments(const CLI::App& app, const Command& command,
                              const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-')) {
      if (command.takes_program()) return;
      continue;
    }
    const std::size_t equals = word.find('=');
    const CLI::Option* const option = app.get_option_no_throw(word.substr(0, equals));
    if (option == nullptr || option->get_items_expected_min() == 0) continue;
    if (equals == std::string::npos)
      ++i;  // its value
    else if (equals + 1 == word.size())
      throw UserError(word.substr(0, equals) + ": empty", see_help(app));
  }
}

/// A misspelt option leaves its value over, which the parser then complains of.
void refuse_unknown_option(const CLI::App& app, const Command& command,
                           const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') && command.takes_program()) return;
    if (!word.starts_with('-') || word == "-") continue;
    const std::size_t equals = word.find('=');
    const CLI::Option* const option =
        app.get_option_no_throw(word.starts_with("--") ? word.substr(0, equals) : word.substr(0, 2));
    if (option == nullptr) refuse_word(app, word);
    const bool value_follows = equals == std::string::npos && (word.starts_with("--") || word.size() == 2);
    if (option->get_items_expected_min() > 0 && value_follows) ++i;
  }
}

int run_command(const std::string& name, std::vector<std::string> words) {
  const std::unique_ptr<Command> command = CommandRegistration::make(name);
  CLI::App app("", "hybrid " + name);
  app.get_formatter()->column_width(36);
  app.set_help_flag("-h,--help", "Print this and leave");
  app.allow_extras();
  if (command->takes_program()) app.prefix_command();
  command->declare(app);
  refuse_empty_values(app);

  // What follows "--" is the program's, not ours.
  std::vector<std::string> program;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool dashed = dashes != words.end();
  if (dashed) {
    if (!command->takes_program()) throw UserError("unexpected argument '--'", see_help(app));
    program.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  refuse_empty_assignments(app, *command, words);
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // the order that CLI11 takes a vector in
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return kDone;
  } catch (const CLI::ParseError& error) {
    refuse_unknown_option(app, *command, words);
    throw UserError(error.what(), see_help(app));
  }
  std::vector<std::string> rest = app.remaining();
  if (!rest.empty()) {
    if (rest.front().starts_with("-") || !command->takes_program()) refuse_word(app, rest.front());
    if (dashed) rest.emplace_back("--");  // the program came before them: they are its own
    program.insert(program.begin(), rest.begin(), rest.end());
  }
  // Under `ulimit -f` a write fails then, and what it leaves is removed; a program that is started keeps the
  // signal's meaning.
  std::optional<FileSizeSignalGuard> guard;
  if (!command->takes_program()) guard.emplace();
  return command->run(program);
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
    std::fputs(overview().c_str(), stdout);
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

int run_and_tell(int argc, char** argv) {
  try {
    int code = dispatch({argv + 1, argv + argc});
    // A full disk behind standard output shows only here.
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

int main(int argc, char** argv) { return hybrid::run_and_tell(argc, argv); }
