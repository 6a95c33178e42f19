// `hybrid manual [SUB-COMMAND]`: a manual page, in the format of man(1).
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace hybrid {
namespace {

/// Text of a page: a line must not begin with a control character, and '\' and '-' have a meaning.
std::string escaped(std::string_view text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    begins = c == '\n';
  }
  return result;
}

std::string title(const std::string& name, const std::string& summary) {
  std::string upper = name;
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return ".TH \"" + escaped(upper) + "\" 1 \"\" libhybrid \"User Commands\"\n.ad l\n.SH NAME\n" +
         escaped(name) + " \\- " + escaped(summary) + "\n";
}

std::string command_page(const std::string& command) {
  std::string summary;
  for (const Listing& listing : listings())
    if (listing.kind == Command::kKind && listing.name == command) summary = listing.description;
  const CommandLine::Reference reference = reference_of(command);
  std::string page = title("hybrid-" + command, summary) + ".SH SYNOPSIS\n" + escaped(reference.usage) +
                     "\n.SH DESCRIPTION\n" + escaped(reference.description) + "\n";
  for (const CommandLine::Option& argument : reference.arguments)
    page += ".TP\n.I " + escaped(argument.names.front()) + "\n" + escaped(argument.help) + "\n";
  std::string_view group;
  for (const CommandLine::Option& option : reference.options) {
    if (option.group != group) page += ".SH \"" + escaped(option.group) + "\"\n";
    group = option.group;
    page += ".TP\n.B \"" + escaped(option_name(option)) + "\"\n" + escaped(option.help) + "\n";
  }
  if (!reference.examples.empty())
    page += ".SH EXAMPLES\n.nf\n" + escaped(reference.examples.substr(reference.examples.find('\n') + 1)) +
            "\n.fi\n";
  return page + ".SH \"SEE ALSO\"\n.BR hybrid (1)\n";
}

std::string main_page() {
  std::string page = title("hybrid", "what a hybrid circuit/wormhole switch would do for an MPI program") +
                     ".SH SYNOPSIS\nhybrid SUB\\-COMMAND [OPTIONS]\n.SH SUB\\-COMMANDS\n";
  for (const Listing& listing : listings())
    if (listing.kind == Command::kKind)
      page += ".TP\n.BR hybrid\\-" + escaped(listing.name) + " (1)\n" + escaped(listing.description) + "\n";
  return page +
         ".SH \"EXIT STATUS\"\n0: done. 1: the program or run failed. 2: bad usage or input.\n"
         ".SH ENVIRONMENT\nEvery option of a job is also a variable:\n"
         ".B HYBRID_SLOTS\nfor\n.BR \\-\\-slots .\n";
}

class ManualCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Prints a manual page in the format of man(1), of this command or of a sub-command. Installations "
        "contain them.");
    line.add_argument("SUB-COMMAND", command_, "such as run", CommandLine::Need::optional);
    line.add_examples("Examples:\n  hybrid manual run | man -l -");
  }

  int run(const std::vector<std::string>&) override {
    std::fputs((command_.empty() ? main_page() : command_page(command_)).c_str(), stdout);
    return kDone;
  }

 private:
  std::string command_;
};

const CommandRegistration kManual{"manual", "manual page of a sub-command", []() -> std::unique_ptr<Command> {
                                    return std::make_unique<ManualCommand>();
                                  }};

}  // namespace
}  // namespace hybrid
