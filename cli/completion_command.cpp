// `hybrid completion bash|zsh|fish`: a script that completes sub-commands, options and their values.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "core/error.h"
#include "libhybrid/page/glossary.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

using Flag = CommandLine::Option;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<std::string> names_of_kind(std::string_view kind) {
  std::vector<std::string> names;
  for (const Listing& listing : listings())
    if (listing.kind == kind) names.emplace_back(listing.name);
  return names;
}

/// The values of an option that are words: those of "on|off", or the registered names of the kind that the
/// option is named after. Empty: numbers, files and others.
std::vector<std::string> values_of(const Flag& option) {
  std::vector<std::string> values;
  for (const std::string& part : split(option.type, '|'))
    if (std::ranges::all_of(
            part, [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || (c >= '0' && c <= '9'); }) &&
        !part.empty() && part != "-")
      values.push_back(part);
  std::string kind = option.names.back().substr(2);
  if (kind.ends_with('s') && names_of_kind(kind).empty()) kind.pop_back();
  if (option.type.starts_with("NAME"))
    for (std::string& name : names_of_kind(kind)) values.push_back(std::move(name));
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

bool takes_list(const Flag& option) { return option.type.find("...") != std::string::npos; }

bool takes_file(const Flag& option) {
  return option.type.find("FILE") != std::string::npos || option.type.find("DIR") != std::string::npos ||
         option.type.find("BINARY") != std::string::npos;
}

/// The words that a positional argument takes; empty: files and others.
std::vector<std::string> words_of(const Flag& argument) {
  std::string kind = argument.names.front();
  std::ranges::transform(kind, kind.begin(), [](unsigned char c) { return std::tolower(c); });
  std::vector<std::string> words = names_of_kind(kind);
  if (kind == "shell") words = {"bash", "zsh", "fish"};
  if (kind == "claim") words.emplace_back("all");
  if (kind == "kind")
    for (const Listing& listing : listings())
      if (listing.kind != Command::kKind) words.emplace_back(listing.kind);
  if (kind == "term") {
    for (const Listing& listing : listings()) words.emplace_back(listing.name);
    for (const auto& [term, entry] : glossary()) words.push_back(term);
  }
  for (std::string& word : words) std::ranges::replace(word, ' ', '-');
  std::erase_if(words, [](const std::string& word) {  // what a shell would not read as one word
    return !std::ranges::all_of(word,
                                [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
  });
  std::ranges::sort(words);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

struct Completed {
  std::string name, description;
  std::vector<Flag> options;
  std::vector<std::string> words;  // of the first positional argument
};

std::vector<Completed> all_commands() {
  std::vector<Completed> all;
  for (const Listing& listing : listings())
    if (listing.kind == Command::kKind) {
      CommandLine::Reference reference = reference_of(listing.name);
      all.push_back(
          {std::string(listing.name), std::string(listing.description), std::move(reference.options),
           reference.arguments.empty() ? std::vector<std::string>{} : words_of(reference.arguments.front())});
    }
  return all;
}

/// The options with words as values, by name; commands may differ, so all values are joined.
std::map<std::string, std::vector<std::string>> all_values(const std::vector<Completed>& commands) {
  std::map<std::string, std::vector<std::string>> values;
  for (const Completed& command : commands)
    for (const Flag& option : command.options)
      for (std::string& value : values_of(option))
        if (auto& known = values[option.names.back()]; std::ranges::find(known, value) == known.end())
          known.push_back(std::move(value));
  return values;
}

std::string bash_script() {
  const std::vector<Completed> commands = all_commands();
  std::vector<std::string> names, cases;
  for (const Completed& command : commands) {
    names.push_back(command.name);
    std::vector<std::string> options, valued;
    for (const Flag& option : command.options)
      for (const std::string& name : option.names) {
        options.push_back(name);
        if (!option.type.empty()) valued.push_back(name);
      }
    cases.push_back(fmt::format("      {}) options='{}' valued='{}' words='{}' ;;\n", command.name,
                                fmt::join(options, " "), fmt::join(valued, " "),
                                fmt::join(command.words, " ")));
  }
  std::string values;
  for (const auto& [name, words] : all_values(commands))
    values += fmt::format("      {}) words='{}' ;;\n", name, fmt::join(words, " "));
  return fmt::format(R"(# bash completion for hybrid
_hybrid() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words= options= valued= list=
  [ "$current" = = ] && current=
  [ "$before" = = ] && before=${{COMP_WORDS[COMP_CWORD-2]}}
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{} --help --version'
  else
    case $before in
{}    esac
    if [ -z "$words" ]; then
      case ${{COMP_WORDS[1]}} in
{}      esac
      [[ $current == -* ]] && words=$options
      [[ " $valued " == *" $before "* ]] && words=
    fi
  fi
  if [[ $current == *,* ]]; then list=${{current%,*}},; fi
  COMPREPLY=($(compgen -P "$list" -W "$words" -- "${{current##*,}}"))
}}
complete -o default -F _hybrid hybrid
)",
                     fmt::join(names, " "), values, fmt::join(cases, ""));
}

/// In single quotes of zsh and fish.
std::string quoted(std::string_view text, std::string_view also_escaped) {
  std::string result;
  for (const char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (also_escaped.find(c) != std::string_view::npos)
      (result += '\\') += c;
    else
      result += c;
  }
  return result;
}

/// Up to the first semicolon or parenthesis that is not within brackets (an option's default).
std::string first_sentence(std::string_view help) {
  bool in_brackets = false;
  std::size_t end = 0;
  for (; end < help.size() && (in_brackets || (help[end] != ';' && help[end] != '(')); ++end)
    in_brackets = help[end] == '[' || (in_brackets && help[end] != ']');
  while (end > 0 && help[end - 1] == ' ') --end;
  return std::string(help.substr(0, end));
}

std::string zsh_script() {
  std::string commands, cases;
  for (const Completed& command : all_commands()) {
    commands += fmt::format("    '{}:{}'\n", command.name, quoted(command.description, ":\\"));
    cases += fmt::format("    {}) _arguments -s", command.name);
    for (const Flag& option : command.options) {
      const std::vector<std::string> values = values_of(option);
      const std::string action =
          !values.empty() ? (takes_list(option) ? fmt::format("_values -s , value {}", fmt::join(values, " "))
                                                : fmt::format("({})", fmt::join(values, " ")))
                          : (takes_file(option) ? "_files" : " ");
      const std::string value =
          option.type.empty() ? "" : fmt::format(":{}:{}", quoted(option.type, ":\\"), action);
      for (const std::string& name : option.names)  // the value may follow in the same word
        cases += fmt::format(" \\\n        '{}{}[{}]{}'", name,
                             value.empty()            ? ""
                             : name.starts_with("--") ? "="
                             : name.size() == 2       ? "+"
                                                      : "",
                             quoted(first_sentence(option.help), "[]:\\"), value);
    }
    cases += command.words.empty()
                 ? " \\\n        '*:file:_files' ;;\n"
                 : fmt::format(" \\\n        '*:word:({})' ;;\n", fmt::join(command.words, " "));
  }
  return fmt::format(R"(#compdef hybrid
local -a commands
if (( CURRENT == 2 )); then
  commands=(
{}  )
  _describe sub-command commands
else
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
fi
)",
                     commands, cases);
}

std::string fish_script() {
  std::string script = "# fish completion for hybrid\n";
  for (const Completed& command : all_commands()) {
    script += fmt::format("complete -c hybrid -n __fish_use_subcommand -f -a {} -d '{}'\n", command.name,
                          quoted(command.description, "\\"));
    if (!command.words.empty())
      script += fmt::format("complete -c hybrid -n '__fish_seen_subcommand_from {}' -f -a '{}'\n",
                            command.name, fmt::join(command.words, " "));
    for (const Flag& option : command.options) {
      script += fmt::format("complete -c hybrid -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : option.names)
        script += name.starts_with("--") ? " -l " + name.substr(2)
                  : name.size() == 2     ? " -s " + name.substr(1)
                                         : " -o " + name.substr(1);
      if (!option.type.empty()) script += takes_file(option) ? " -rF" : " -x";
      if (const std::vector<std::string> values = values_of(option); !values.empty()) {
        const std::string words = fmt::format("{}", fmt::join(values, " "));
        script += takes_list(option) ? " -a '(__fish_append , " + words + ")'" : " -a '" + words + "'";
      }
      script += fmt::format(" -d '{}'\n", quoted(first_sentence(option.help), "\\"));
    }
  }
  return script;
}

class CompletionCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Prints a script with which a shell completes sub-commands, options and their values. Installations "
        "contain it.");
    line.add_argument("SHELL", shell_, "bash, zsh or fish", CommandLine::Need::required);
    line.add_examples(
        "Examples:\n  source <(hybrid completion bash)\n"
        "  hybrid completion fish > ~/.config/fish/completions/hybrid.fish\n"
        "  hybrid completion zsh > ~/.zfunc/_hybrid");
  }

  int run(const std::vector<std::string>&) override {
    if (shell_ == "bash")
      std::fputs(bash_script().c_str(), stdout);
    else if (shell_ == "zsh")
      std::fputs(zsh_script().c_str(), stdout);
    else if (shell_ == "fish")
      std::fputs(fish_script().c_str(), stdout);
    else
      throw UserError("no completion for the shell '" + shell_ + "'", "Give bash, zsh or fish.");
    return kDone;
  }

 private:
  std::string shell_;
};

const CommandRegistration kCompletion{
    "completion", "completion of this command for a shell",
    []() -> std::unique_ptr<Command> { return std::make_unique<CompletionCommand>(); }};

}  // namespace
}  // namespace hybrid
