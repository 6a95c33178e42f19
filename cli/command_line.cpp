#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/option.h"

namespace hybrid {

struct CommandLine::Parser {
  explicit Parser(const std::string& name) : app("", name) {}

  std::string see_help() const { return "See `" + app.get_name() + " --help`."; }
  [[noreturn]] void refuse_word(const std::string& word) const;
  void refuse_empty_values();
  void refuse_empty_assignments(const std::vector<std::string>& words) const;
  void refuse_unknown_option(const std::vector<std::string>& words) const;

  CLI::App app;
  bool takes_program = false;
};

namespace {

std::vector<std::string_view> option_names(const CLI::App& app) {
  std::vector<std::string_view> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

}  // namespace

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

/// "--name=" of an option that takes a value would take the next word. The words after a program's name are
/// the program's.
void CommandLine::Parser::refuse_empty_assignments(const std::vector<std::string>& words) const {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-')) {
      if (takes_program) return;
      continue;
    }
    const std::size_t equals = word.find('=');
    const CLI::Option* const option = app.get_option_no_throw(word.substr(0, equals));
    if (option == nullptr || option->get_items_expected_min() == 0) continue;
    if (equals == std::string::npos)
      ++i;  // its value
    else if (equals + 1 == word.size())
      throw UserError(word.substr(0, equals) + ": empty", see_help());
  }
}

/// A misspelt option leaves its value as a superfluous argument; the option is the one to report.
void CommandLine::Parser::refuse_unknown_option(const std::vector<std::string>& words) const {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') && takes_program) return;
    if (!word.starts_with('-') || word == "-") continue;
    const std::size_t equals = word.find('=');
    const CLI::Option* const option =
        app.get_option_no_throw(word.starts_with("--") ? word.substr(0, equals) : word.substr(0, 2));
    if (option == nullptr) refuse_word(word);
    const bool value_follows = equals == std::string::npos && (word.starts_with("--") || word.size() == 2);
    if (option->get_items_expected_min() > 0 && value_follows) ++i;
  }
}

CommandLine::CommandLine(const std::string& name) : parser_(std::make_unique<Parser>(name)) {
  CLI::App& app = parser_->app;
  app.get_formatter()->column_width(36);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.allow_extras();
}

CommandLine::~CommandLine() = default;

void CommandLine::describe(const std::string& text) { parser_->app.description(text); }
void CommandLine::add_examples(const std::string& text) { parser_->app.footer(text); }

void CommandLine::take_program() {
  parser_->takes_program = true;
  parser_->app.prefix_command();
  // CLI11 puts brackets around this label: "hybrid run [OPTION...] -- APP [ARGUMENT...]".
  parser_->app.get_formatter()->label("OPTIONS", "OPTION...] -- APP [ARGUMENT...");
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
  parser_->app.add_option(names, value, help)->type_name(type)->take_last();
}

void CommandLine::add_option(const std::string& names, const std::string& type, const std::string& help,
                             std::function<void(const std::string&)> set, const std::string& group) {
  parser_->app.add_option_function<std::string>(names, std::move(set), help)
      ->type_name(type)
      ->take_last()
      ->group(group);
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
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // CLI11 takes a vector from its end
  try {
    parser.app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::fputs(parser.app.help().c_str(), stdout);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    parser.refuse_unknown_option(words);
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
