#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/option.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

struct CommandLine::Parser {
  explicit Parser(const std::string& name) : app("", name) {}

  std::string see_help() const { return "See `" + app.get_name() + " --help`."; }
  const CLI::Option* option_of(const std::string& word) const;
  std::vector<std::size_t> option_words(const std::vector<std::string>& words) const;
  [[noreturn]] void refuse_word(const std::string& word) const;
  void refuse_empty_values();
  void refuse_empty_assignments(const std::vector<std::string>& words) const;
  void refuse_unknown_option(const std::vector<std::string>& words) const;
  void refuse_missing_value(const std::vector<std::string>& words) const;

  CLI::App app;
  std::map<std::string, std::string, std::less<>> aliases;  // "-np" -> "-n"
  std::set<std::string, std::less<>> hidden;                // "--slot-length": not in a short help
  bool takes_program = false;
};

namespace {

std::vector<std::string_view> option_names(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_min() > 0; }

bool takes_several(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

std::string argument_name(const CommandLine::Option& argument) {
  const std::string name = argument.names.front() + (argument.repeated ? "..." : "");
  return argument.required ? name : "[" + name + "]";
}

/// The lines of an example, which a user can copy: a command that is too long is continued on further lines.
std::string example_lines(std::string_view text, std::size_t width) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(' ')) {
      result += wrap(line, 0, width);
      continue;
    }
    const std::string lines = wrap(line, 6, width - 2);
    for (std::size_t at = 0, end = 0; at < lines.size(); at = end + 1) {
      end = lines.find('\n', at);
      result += (at == 0 ? "  " + lines.substr(6, end - 6) : lines.substr(at, end - at)) +
                (end + 1 == lines.size() ? "\n" : " \\\n");
    }
  }
  return result;
}

/// Whether the words before those of a program ask for the whole help.
bool wants_all(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] == "all" && (words[i - 1] == "--help" || words[i - 1] == "-h")) return true;
  return false;
}

}  // namespace

std::string option_name(const CommandLine::Option& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ",") + name;
  return names + (option.type.empty() ? "" : " " + option.type);
}

void CommandLine::Parser::refuse_word(const std::string& word) const {
  if (word.empty() || word[0] != '-') throw UserError("unexpected argument '" + word + "'", see_help());
  const std::string name = word.substr(0, word.find('='));
  std::string_view bare = name;
  while (bare.starts_with('-')) bare.remove_prefix(1);
  const std::string_view closest = closest_name(bare, option_names(app));
  throw UserError("unknown option '" + name + "'",
                  (closest.empty() ? "" : "Did you mean '--" + std::string(closest) + "'? ") + see_help());
}

/// An empty value, which a script's empty variable gives, would count as not given.
void CommandLine::Parser::refuse_empty_values() {
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_min() > 0)
      option->check([](const std::string& value) { return value.empty() ? "empty" : std::string(); });
}

/// The option that a word begins with; nullptr: none.
const CLI::Option* CommandLine::Parser::option_of(const std::string& word) const {
  if (const auto alias = aliases.find(word); alias != aliases.end())
    return app.get_option_no_throw(alias->second);
  return app.get_option_no_throw(word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2));
}

/// The indices of the words that are options, up to the program's name; the words after it are the program's.
std::vector<std::size_t> CommandLine::Parser::option_words(const std::vector<std::string>& words) const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') && takes_program) break;
    if (!word.starts_with('-') || word == "-") continue;
    indices.push_back(i);
    const CLI::Option* const option = option_of(word);
    const bool value_follows = word.starts_with("--") ? word.find('=') == std::string::npos
                                                      : word.size() == 2 || aliases.contains(word);
    if (option != nullptr && takes_value(*option) && value_follows) ++i;
  }
  return indices;
}

/// "--name=" of an option that takes a value would take the next word.
void CommandLine::Parser::refuse_empty_assignments(const std::vector<std::string>& words) const {
  for (const std::size_t i : option_words(words)) {
    if (!words[i].ends_with('=')) continue;
    const std::string name = words[i].substr(0, words[i].find('='));
    const CLI::Option* const option = app.get_option_no_throw(name);
    if (option != nullptr && takes_value(*option) && name.size() + 1 == words[i].size())
      throw UserError(name + ": empty", see_help());
  }
}

/// A misspelt option leaves its value as a superfluous argument; the option is the one to report.
void CommandLine::Parser::refuse_unknown_option(const std::vector<std::string>& words) const {
  for (const std::size_t i : option_words(words))
    if (option_of(words[i]) == nullptr) refuse_word(words[i]);
}

/// The last word is an option that takes a value.
void CommandLine::Parser::refuse_missing_value(const std::vector<std::string>& words) const {
  for (const std::size_t i : option_words(words)) {
    const CLI::Option* const option = option_of(words[i]);
    if (option != nullptr && takes_value(*option) && i + 1 == words.size() &&
        words[i].find('=') == std::string::npos && (words[i].starts_with("--") || words[i].size() == 2))
      throw UserError(words[i] + " needs a value: " + words[i] + " " + option->get_type_name(), see_help());
  }
}

std::string help_text(const CommandLine::Reference& reference, std::size_t width, bool all) {
  constexpr std::size_t kLong = 30;  // options; a longer list is shortened
  const std::size_t column = std::min<std::size_t>(34, width * 3 / 10);
  std::string text =
      wrap(reference.description, 0, width) + "\n" + wrap("Usage: " + reference.usage, 0, width);
  std::string_view group;
  if (!reference.arguments.empty()) text += "\nArguments:\n";
  for (const CommandLine::Option& argument : reference.arguments)
    text += two_columns(argument_name(argument), argument.help, column, width);
  std::size_t left_out = 0;
  for (const CommandLine::Option& option : reference.options) {
    if (!option.basic && !all && reference.options.size() > kLong) {
      ++left_out;
      continue;
    }
    if (option.group != group) text += "\n" + option.group + ":\n";
    group = option.group;
    text += two_columns(option_name(option), option.help, column, width);
  }
  if (left_out != 0)
    text += "\n" + wrap(std::to_string(left_out) + " more options: `" + reference.name +
                            " --help all`; each: `hybrid help OPTION`",
                        0, width);
  return text + (reference.examples.empty() ? "" : "\n" + example_lines(reference.examples, width));
}

CommandLine::Reference CommandLine::reference() const {
  const CLI::App& app = parser_->app;
  Reference reference{
      app.get_name(), app.get_description(), app.get_name() + " [OPTIONS]", app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const Option argument{{option->get_name(true)}, "", option->get_description(), "", option->get_required(),
                          takes_several(*option)};
    reference.usage += " " + argument_name(argument);
    reference.arguments.push_back(argument);
  }
  if (parser_->takes_program) reference.usage += " -- APP [ARGUMENT...]";
  for (const std::string& group : app.get_groups()) {
    if (group.empty()) continue;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional() || option->get_group() != group) continue;
      Option one{{}, takes_value(*option) ? option->get_type_name() : "", option->get_description(), group};
      for (const std::string& letter : option->get_snames()) one.names.push_back("-" + letter);
      for (const auto& [alias, name] : parser_->aliases)
        if (app.get_option_no_throw(name) == option) one.names.push_back(alias);
      for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
      one.basic = !parser_->hidden.contains(one.names.back());
      reference.options.push_back(std::move(one));
    }
  }
  return reference;
}

CommandLine::CommandLine(const std::string& name) : parser_(std::make_unique<Parser>(name)) {
  CLI::App& app = parser_->app;
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.allow_extras();
}

CommandLine::~CommandLine() = default;

void CommandLine::describe(const std::string& text) { parser_->app.description(text); }
void CommandLine::add_examples(const std::string& text) { parser_->app.footer(text); }

void CommandLine::take_program() {
  parser_->takes_program = true;
  parser_->app.prefix_command();
}

bool CommandLine::takes_program() const { return parser_->takes_program; }

void CommandLine::add_argument(const std::string& name, std::string& value, const std::string& help,
                               Need need) {
  parser_->app.add_option(name, value, help)->required(need == Need::required);
}

void CommandLine::add_arguments(const std::string& name, std::vector<std::string>& values,
                                const std::string& help, Need need) {
  parser_->app.add_option(name, values, help)->required(need == Need::required);
}

void CommandLine::add_option(const std::string& names, const std::string& type, const std::string& help,
                             std::string& value) {
  add_option(names, type, help, [&value](const std::string& given) { value = given; });
}

void CommandLine::add_option(const std::string& names, const std::string& type, const std::string& help,
                             std::function<void(const std::string&)> set, const std::string& group) {
  const bool is_list = type.find("...") != std::string::npos;
  const auto set_joined = [is_list, set = std::move(set)](std::string value) {
    if (is_list) std::ranges::replace(value, '\n', ',');  // CLI11 splits values at any other delimiter
    set(value);
  };
  CLI::Option* const option = parser_->app.add_option_function<std::string>(names, set_joined, help);
  option->type_name(type)->group(group);
  option->multi_option_policy(is_list ? CLI::MultiOptionPolicy::Join : CLI::MultiOptionPolicy::TakeLast);
}

void CommandLine::hide_in_short_help(const std::string& name) { parser_->hidden.insert(name); }

void CommandLine::add_alias(const std::string& alias, const std::string& name) {
  parser_->aliases.emplace(alias, name);
}

void CommandLine::add_list_option(const std::string& names, const std::string& type, const std::string& help,
                                  std::vector<std::string>& values) {
  parser_->app.add_option(names, values, help)->type_name(type)->take_all();
}

void CommandLine::add_flag(const std::string& names, const std::string& help, bool& value) {
  parser_->app.add_flag(names, value, help);
}

void CommandLine::add_flag(const std::string& names, const std::string& help, std::function<void()> set,
                           const std::string& group) {
  parser_->app.add_flag_callback(names, std::move(set), help)->group(group);
}

void CommandLine::add_hidden_flag(const std::string& name, const std::string& other) {
  parser_->app.add_flag(name)->group("")->excludes(other);
}

std::optional<std::vector<std::string>> CommandLine::parse(std::vector<std::string> words) {
  Parser& parser = *parser_;
  parser.refuse_empty_values();
  std::vector<std::string> program;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool dashed = dashes != words.end();
  if (dashed) {
    if (!parser.takes_program) throw UserError("unexpected argument '--'", parser.see_help());
    program.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  parser.refuse_empty_assignments(words);
  for (const std::size_t i : parser.option_words(words))
    if (const auto alias = parser.aliases.find(words[i]); alias != parser.aliases.end())
      words[i] = alias->second;
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // CLI11 takes a vector from its end
  try {
    parser.app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    print_text(help_text(reference(), terminal_width(stdout), wants_all(words)), stdout);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    parser.refuse_unknown_option(words);
    parser.refuse_missing_value(words);
    throw UserError(error.what(), parser.see_help());
  }
  std::vector<std::string> rest = parser.app.remaining();
  if (!rest.empty()) {
    if (rest.front().starts_with("-") || !parser.takes_program) parser.refuse_word(rest.front());
    if (dashed) rest.emplace_back("--");  // it comes after the program's name: the program's own
    program.insert(program.begin(), rest.begin(), rest.end());
  }
  return program;
}

}  // namespace hybrid
