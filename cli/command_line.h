// The command line of one sub-command: what it takes, parsed, with its help. Hides the parser (CLI11), which
// only command_line.cpp includes.
//
//   CommandLine line("hybrid hints");
//   line.describe("Prints what the compiler found out about a program's communication.");
//   line.add_argument("BINARY", binary, "compiled with hints", CommandLine::Need::required);
//   line.add_option("--nodes", "N", "evaluate for a job of N ranks", nodes);
//   const auto rest = line.parse({"a.out", "--nodes=4"});  // binary == "a.out", nodes == "4"
//
// Values are stored as text; the command converts them and reports what is wrong with them. All variables
// that a CommandLine stores into must outlive parse().
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hybrid {

class CommandLine {
 public:
  enum class Need { optional, required };

  /// `name` as a user types it: "hybrid run".
  explicit CommandLine(const std::string& name);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  /// What the help says before the options, and the examples after them.
  void describe(const std::string& text);
  void add_examples(const std::string& text);
  /// A program and its arguments follow: after "--", or from the first word that is no option.
  void take_program();
  bool takes_program() const;

  /// A positional argument, and a list of at least (required) one of them, which takes all that are left.
  void add_argument(const std::string& name, std::string& value, const std::string& help, Need need);
  void add_arguments(const std::string& name, std::vector<std::string>& values, const std::string& help,
                     Need need);

  /// An option with a value. `names`: "--output" or "-o,--output". `type`: the value in the help, "FILE". If
  /// the option is given several times, the values of a list ("NAME,...") are joined; otherwise the last
  /// value counts. `group`: the heading in the help.
  void add_option(const std::string& names, const std::string& type, const std::string& help,
                  std::string& value);
  void add_option(const std::string& names, const std::string& type, const std::string& help,
                  std::function<void(const std::string&)> set, const std::string& group = "Options");
  /// The option is left out of a long --help; `--help all` contains it.
  void hide_in_short_help(const std::string& name);
  /// An option that may be given several times; all values are kept in order.
  void add_list_option(const std::string& names, const std::string& type, const std::string& help,
                       std::vector<std::string>& values);

  /// A word with one dash that means the same as option `name`: "-np" for "-n".
  void add_alias(const std::string& alias, const std::string& name);

  /// A switch without a value.
  void add_flag(const std::string& names, const std::string& help, bool& value);
  void add_flag(const std::string& names, const std::string& help, std::function<void()> set,
                const std::string& group = "Options");
  /// A switch that does nothing, is not in the help, and cannot be given together with `other`.
  void add_hidden_flag(const std::string& name, const std::string& other);

  /// The command line as its declaration describes it.
  struct Option {
    std::vector<std::string> names;  // "-o", "--output"; of an argument one without dashes
    std::string type;                // of its value: "FILE"; "": a switch
    std::string help, group;
    bool required = false, repeated = false;  // of an argument
    bool basic = true;
  };
  struct Reference {
    std::string name, description, usage, examples;
    std::vector<Option> arguments, options;
  };
  Reference reference() const;

  /// Parses the words after the sub-command's name and stores the values. Returns the program and its
  /// arguments (empty without take_program()); prints the help, as wide as the terminal, and returns nothing
  /// for --help and --help all. Throws UserError for an unknown option (with the closest known name), an
  /// empty value, a missing or superfluous argument.
  std::optional<std::vector<std::string>> parse(std::vector<std::string> words);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// "-o,--output FILE".
std::string option_name(const CommandLine::Option& option);
/// What --help prints; `all`: with the options that a long help leaves out.
std::string help_text(const CommandLine::Reference& reference, std::size_t width, bool all);

}  // namespace hybrid
