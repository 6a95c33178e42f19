// `hybrid help [TERM]`: sub-commands, options, registered names, and the terms of reports.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "core/error.h"
#include "core/option.h"
#include "libhybrid/page/glossary.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

class HelpCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Explains a term of a report, an option, a sub-command, or a name that an option selects; without "
        "one, lists the sub-commands and the terms.");
    line.add_arguments("TERM", words_, "for instance 'gap closed', slot-length, run, tournament",
                       CommandLine::Need::optional);
    line.add_examples(
        "Examples:\n  hybrid help working set\n  hybrid help slot-length\n  hybrid help replay");
  }

  int run(const std::vector<std::string>&) override {
    const std::size_t width = terminal_width(stdout);
    if (words_.empty()) {
      print_text(overview(width), stdout);
      return kDone;
    }
    std::string term;
    for (const std::string& word : words_) term += (term.empty() ? "" : " ") + word;
    print_text(explain(term, width), stdout);
    return kDone;
  }

 private:
  static std::string explain(const std::string& term, std::size_t width) {
    std::vector<std::string> sections;
    std::vector<std::string> known;
    for (const auto& [name, entry] : glossary()) {
      known.push_back(name);
      if (!is_same_name(name, term)) continue;
      std::string text = wrap(name + ": " + entry.meaning, 0, width);
      if (!entry.quote.empty() || !entry.is_key)
        text += wrap(entry.quote.empty() ? "Not defined in the dissertation."
                                         : "\"" + entry.quote + "\" (" + entry.place + ")",
                     2, width);
      sections.push_back(std::move(text));
    }
    for (const Listing& listing : listings()) {
      known.emplace_back(listing.name);
      if (!is_same_name(listing.name, term)) continue;
      if (listing.kind == Command::kKind)
        sections.push_back(help_text(reference_of(listing.name), width, false));
      else
        sections.push_back(wrap(std::string(listing.kind) + " " + std::string(listing.name) + ": " +
                                    std::string(listing.description),
                                0, width));
    }
    // The same option of several commands, unless its meaning differs.
    std::vector<std::pair<CommandLine::Option, std::string>> options;
    for (const Listing& listing : listings()) {
      if (listing.kind != Command::kKind) continue;
      for (CommandLine::Option& option : reference_of(listing.name).options) {
        const std::string& name = option.names.back();
        known.push_back(name.substr(name.find_first_not_of('-')));
        if (!is_same_name(known.back(), option_of(term))) continue;
        const auto same = std::ranges::find_if(options, [&](const auto& one) {
          return one.first.help == option.help && one.first.type == option.type;
        });
        const std::string command = "`hybrid " + std::string(listing.name) + "`";
        if (same == options.end())
          options.emplace_back(std::move(option), command);
        else
          same->second += ", " + command;
      }
    }
    for (const auto& [option, commands] : options)
      sections.push_back(two_columns(option_name(option), option.help, 34, width) +
                         wrap("Option of " + commands + ".", 2, width));
    if (sections.empty()) {
      throw UserError("no term, option or sub-command '" + term + "'", suggestion(term, known));
    }
    std::string text;
    for (const std::string& section : sections) text += (text.empty() ? "" : "\n") + section;
    return text;
  }

  // The names of which `term` is a word, else the one that is spelt most like it.
  static std::string suggestion(const std::string& term, std::vector<std::string> known) {
    constexpr std::size_t kMost = 6;
    std::ranges::sort(known);
    const auto repeated = std::ranges::unique(known, is_same_name);
    known.erase(repeated.begin(), repeated.end());
    std::string names;
    std::size_t number = 0;
    for (const std::string& name : known)
      if (has_word(name, term) && number++ < kMost)
        names += (names.empty() ? "`hybrid help " : ", `hybrid help ") + name + "`";
    if (number == 0) {
      const std::string_view closest = closest_name(term, {known.begin(), known.end()});
      if (closest.empty()) return "See `hybrid help`, `hybrid list` and `hybrid run --help all`.";
      names = "`hybrid help " + std::string(closest) + "`";
    }
    return "Did you mean " + names + (number > kMost ? ", ...?" : "?");
  }

  static bool has_word(std::string_view name, std::string_view word) {
    while (!name.empty()) {
      const std::size_t end = std::min(name.find_first_of(" -_"), name.size());
      if (is_same_name(name.substr(0, end), word)) return true;
      name.remove_prefix(std::min(end + 1, name.size()));
    }
    return false;
  }

  // "slot-length" of --slot-length and HYBRID_SLOT_LENGTH.
  static std::string_view option_of(std::string_view term) {
    constexpr std::string_view kVariable = "HYBRID_";
    if (term.starts_with(kVariable)) return term.substr(kVariable.size());
    return term.substr(std::min(term.size(), term.find_first_not_of('-')));
  }

  std::vector<std::string> words_;
};

const CommandRegistration kHelp{"help", "what a term, an option or a sub-command means",
                                []() -> std::unique_ptr<Command> { return std::make_unique<HelpCommand>(); }};

}  // namespace

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
  std::string terms;
  for (const auto& [term, entry] : glossary())
    if (!entry.is_key) terms += (terms.empty() ? "" : ", ") + term;
  return text + "\nTerms that `hybrid help TERM` explains:\n" + wrap(terms, 2, width);
}

CommandLine::Reference reference_of(std::string_view command) {
  const std::unique_ptr<Command> made = CommandRegistration::make(command);
  CommandLine line("hybrid " + std::string(command));
  made->declare(line);
  return line.reference();
}

}  // namespace hybrid
