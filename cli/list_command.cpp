// `hybrid list`: everything that is selected by name; with --options: every option.
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.h"
#include "cli/json_output.h"
#include "core/error.h"
#include "core/option.h"
#include "libhybrid/options/job_options.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {
namespace {

class ListCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe(
        "Prints everything that an option selects by name: techniques, presets, schedulers, predictors, "
        "...");
    line.add_argument("KIND", kind_, "only this kind, for instance predictor", CommandLine::Need::optional);
    line.add_flag("--options", "print the options of a job instead", options_);
    line.add_flag("--markdown", "with --options: as a page of Markdown, docs/options.md", markdown_);
    json_.declare(line);
    line.add_examples("Examples:\n  hybrid list\n  hybrid list preset\n  hybrid list --options");
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    if (markdown_ && !options_) throw UserError("--markdown goes with --options");
    if (options_) return list_options();
    return list_registered();
  }

 private:
  int list_options() {
    if (markdown_) {
      std::fputs(options_page().c_str(), stdout);
      return kDone;
    }
    JobOptions options;
    OptionTable table;
    add_job_options(table, options);
    std::string text;
    const std::size_t width = terminal_width(stdout), column = width < kTextWidth ? 20 : 26;
    auto json = nlohmann::ordered_json::array();
    for (const Option& o : table.options()) {
      const std::string preset = o.default_text.empty() ? "" : " [" + o.default_text + "]";
      text += two_columns(o.name, o.help + preset, column, width);
      json.push_back({{"name", o.name}, {"value", o.value}, {"default", o.default_text}, {"help", o.help}});
    }
    if (!json_.owns_stdout()) print_text(text, stdout);
    json_.write(json);
    return kDone;
  }

  int list_registered() {
    auto json = nlohmann::ordered_json::array();
    std::string text;
    std::string_view kind;
    std::vector<std::string_view> kinds;
    std::map<std::string_view, std::size_t> widths;
    for (const Listing& l : listings())
      widths[l.kind] = std::max({widths[l.kind], l.name.size(), std::size_t{20}});
    const std::size_t width = terminal_width(stdout);
    for (const Listing& l : listings()) {
      if (l.kind == Command::kKind) continue;  // shown by `hybrid --help`
      if (kinds.empty() || kinds.back() != l.kind) kinds.push_back(l.kind);
      if (!kind_.empty() && !is_same_name(l.kind, kind_)) continue;
      if (l.kind != kind) text += (kind.empty() ? "" : "\n") + std::string(l.kind) + "\n";
      kind = l.kind;
      text += two_columns(l.name, l.description, widths[kind] + 4, width);
      json.push_back({{"kind", l.kind}, {"name", l.name}, {"description", l.description}});
    }
    if (text.empty()) {
      std::string known;
      for (std::string_view k : kinds) known += (known.empty() ? "" : ", ") + std::string(k);
      const std::string_view meant = closest_name(kind_, kinds);
      throw UserError("no kind '" + kind_ + "'; kinds are: " + known,
                      meant.empty() ? "" : "Did you mean '" + std::string(meant) + "'?");
    }
    if (!json_.owns_stdout()) print_text(text, stdout);
    json_.write(json);
    return kDone;
  }

  std::string kind_;
  bool options_ = false, markdown_ = false;
  JsonOutput json_;
};

const CommandRegistration kList{"list", "everything that is selected by name; with --options: every option",
                                []() -> std::unique_ptr<Command> { return std::make_unique<ListCommand>(); }};

}  // namespace
}  // namespace hybrid
