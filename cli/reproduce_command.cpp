// `hybrid reproduce`: runs the papers' claims. Without HYBRID_REPRODUCE (demo builds) the claims are not
// linked in, and the command only explains how to build them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"
#include "cli/json_output.h"
#include "cli/whole_number.h"
#include "core/error.h"
#include "core/parallel.h"
#include "emulator/claims/reproduction.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

namespace {

#ifndef HYBRID_REPRODUCE

class ReproduceCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.describe("Runs what the papers claim at their parameters. This build leaves it out.");
    line.add_arguments("CLAIM", names_, "ignored in this build", CommandLine::Need::optional);
  }
  int run(const std::vector<std::string>&) override {
    throw UserError("reproduce: this build has no claims to reproduce",
                    "Add them: cmake build -DHYBRID_REPRODUCE=ON && cmake --build build");
  }

 private:
  std::vector<std::string> names_;
};

#else

struct WholeOption {
  const char* name;
  const char* help;
  std::uint64_t least, most;
};

/// `option` and `number`, which has the default, must outlive the parsing.
template <typename Number>
void add_whole(CommandLine& line, const WholeOption& option, Number& number) {
  line.add_option(option.name, "N", std::string(option.help) + " [" + std::to_string(number) + "]",
                  [&option, &number](const std::string& text) {
                    number = static_cast<Number>(parse_whole(text, option.name, option.least, option.most));
                  });
}

class ReproduceCommand final : public Command {
 public:
  ReproduceCommand() { context_.threads = 0; }

  void declare(CommandLine& line) override {
    line.describe(
        "Runs what the papers claim at their parameters, and says whether it holds. Writes each figure as "
        "CSV and SVG (with gnuplot) into a new directory, and a page with all verdicts.");
    line.add_arguments("CLAIM", names_, "claims such as C5; nas: C18; all (the default)",
                       CommandLine::Need::optional);
    line.add_option("--traces", "DIR", "recorded jobs of C18 (default: those of libhybrid's examples)",
                    context_.traces);
    line.add_option("-o,--output", "DIR",
                    "new directory for figures and page (default reproduction-1, -2, ...)", output_);
    static constexpr WholeOption kSeed{"--seed", "of everything random", 0, ~std::uint64_t{0}};
    static constexpr WholeOption kRepeats{
        "--repeats", "runs with seeds that follow each other; a point is their mean", 1, 1000};
    static constexpr WholeOption kThreads{"--threads", "emulations at the same time; 0: one for each core", 0,
                                          256};
    add_whole(line, kSeed, context_.seed);
    add_whole(line, kRepeats, context_.repeats);
    add_whole(line, kThreads, context_.threads);
    json_.declare(line);
    line.add_examples(
        "Examples:\n  hybrid reproduce\n  hybrid reproduce C5 C6 --output grids\n  hybrid list claim");
  }

  int run(const std::vector<std::string>&) override {
    json_.check();
    if (context_.traces.empty()) context_.traces = example_traces();
    std::vector<std::string> names = chosen();
    leave_out_without_traces(names);
    json_.check_another("output", output_);
    const std::string directory = new_directory();
    if (context_.threads == 0) context_.threads = processors();
    std::vector<Reproduced> all;
    try {
      all = run_claims(names, directory);
    } catch (...) {
      std::error_code ignored;
      std::filesystem::remove_all(directory, ignored);  // made here, and all that is in it
      throw;
    }
    if (!json_.owns_stdout()) print(all, directory);
    json_.write(as_json(all));
    return kDone;
  }

 private:
  std::vector<Reproduced> run_claims(const std::vector<std::string>& names, const std::string& directory) {
    const bool pictures = draws_figures();
    if (!pictures)
      print_message(Severity::note,
                    "gnuplot is not installed: the figures are CSV files only (Debian: gnuplot-nox)");
    std::vector<Reproduced> all;
    ProgressLine line(stderr);
    for (const std::string& name : names) {
      const std::string what =
          names.size() == 1 ? name : fmt::format("{}, {} of {} claims done", name, all.size(), names.size());
      context_.progress = [&](std::uint64_t done, std::uint64_t of) {
        line.show(what, {done, of, "emulations"});
      };
      all.push_back(reproduce(name, context_));
      write_figures(all.back(), directory, pictures);
    }
    line.clear();
    write_page(all, directory);
    return all;
  }

  std::vector<std::string> chosen() const {
    std::vector<std::string> known = claim_names();
    std::vector<std::string> names;
    for (std::string name : names_) {
      if (name == "all") return known;
      if (name == "nas") name = "C18";
      if (!name.empty()) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        std::string list;
        for (const std::string& k : known) list += (list.empty() ? "" : ", ") + k;
        throw UserError("no claim '" + name + "'", "Known are: " + list + ", all.");
      }
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names.empty() ? known : names;
  }

  /// Of all claims those that read recorded jobs are left out if there are none; claims that are named then
  /// fail.
  void leave_out_without_traces(std::vector<std::string>& names) const {
    std::error_code error;
    if (std::filesystem::is_directory(context_.traces, error)) return;
    const bool all = names.size() == claim_names().size();
    std::erase_if(names, [&](const std::string& name) {
      if (!ClaimRegistration::make(name)->reads_traces()) return false;
      const std::string missing = name + ": no directory " + context_.traces + " with recorded jobs";
      if (!all)
        throw UserError(missing, "Give the directory of libhybrid's examples/traces with --traces DIR.");
      print_message(Severity::note, missing + ": left out");
      return true;
    });
  }

  /// The directory of the recorded jobs, in the installation or in the sources around the build tree.
  static std::string example_traces() {
    std::error_code error;
    const auto prefix = std::filesystem::read_symlink("/proc/self/exe", error).parent_path().parent_path();
    const auto installed = prefix / "share" / "doc" / "libhybrid" / "examples" / "traces";
    return std::filesystem::is_directory(installed, error) ? installed
                                                           : prefix.parent_path() / "examples" / "traces";
  }

  std::string new_directory() const {
    namespace fs = std::filesystem;
    std::error_code error;
    if (!output_.empty()) {
      if (fs::create_directory(output_, error)) return output_;
      throw UserError("--output " + output_ + (error ? ": " + error.message() : " exists already"),
                      "Give a new directory inside one that exists: nothing is overwritten.");
    }
    for (int n = 1; n < 100'000; ++n) {
      const std::string name = "reproduction-" + std::to_string(n);
      if (fs::create_directory(name, error)) return name;
      if (error)
        throw UserError("cannot make directory " + name + ": " + error.message(), "Give --output DIR.");
    }
    throw UserError("no free name reproduction-N", "Give --output DIR.");
  }

  void write_page(const std::vector<Reproduced>& all, const std::string& directory) const {
    std::string command = "hybrid reproduce";
    if (names_.empty()) command += " all";
    for (const std::string& name : names_) command += " " + name;
    command += " --seed " + std::to_string(context_.seed) + " --repeats " + std::to_string(context_.repeats);
    std::ofstream page(directory + "/reproduction.md", std::ios::binary);
    page << reproduction_page(all, ".", command);
    page.close();
    if (!page) throw RunError("cannot write " + directory + "/reproduction.md", "Is the disk full?");
  }

  /// `text` wrapped behind `first`.
  static std::string item(const std::string& first, const std::string& text) {
    const std::string lines = wrap(text, first.size(), terminal_width(stdout));
    return lines.empty() ? "" : first + lines.substr(first.size());
  }

  static void print(const std::vector<Reproduced>& all, const std::string& directory) {
    std::string text;
    for (const Reproduced& r : all) {
      text += item(r.name + "  ", fmt::format("{} ({}): {}", r.description, r.place, verdict_of(r).text));
      for (const Reproduced::Run& run : r.runs) {
        const std::string of = run.model.name.empty() ? "" : run.model.name + ": ";
        for (const ClaimCheck& check : run.result.checks) {
          text += item(check.holds ? "  + " : "  - ", of + check.statement);
          text += item("      ", check.figures +
                                     (check.impossible.empty() ? "" : ". Cannot hold: " + check.impossible));
        }
        for (const ClaimTable& table : run.result.tables)
          for (const std::string& note : table.notes) text += item("  ", of + note);
        if (!run.result.holds() && !run.result.explanation.empty())
          text += item("  ", of + fmt::format("{}", fmt::join(run.result.explanation, " ")));
      }
    }
    print_text(text + "Figures and page: " + directory + "\n", stdout);
  }

  static nlohmann::ordered_json as_json(const ClaimTable& table) {
    nlohmann::ordered_json json{{"name", table.file}, {"rows", nlohmann::ordered_json::array()}};
    for (const auto& cells : table.rows) {
      nlohmann::ordered_json row;
      for (std::size_t i = 0; i < cells.size(); ++i)
        std::visit([&](const auto& cell) { row[table.columns.at(i)] = cell; }, cells[i]);
      json["rows"].push_back(std::move(row));
    }
    json["notes"] = table.notes;
    return json;
  }

  /// One result for each model that the claim ran on.
  nlohmann::ordered_json as_json(const Reproduced& r, const Reproduced::Run& run) const {
    nlohmann::ordered_json one{{"claim", r.name},
                               {"place", r.place},
                               {"model", run.model.name},
                               {"holds", run.result.holds()},
                               {"verdict", verdict_of(r).text},
                               {"seed", context_.seed}};
    one["checks"] = nlohmann::ordered_json::array();
    for (const ClaimCheck& c : run.result.checks) {
      one["checks"].push_back({{"statement", c.statement}, {"holds", c.holds}, {"figures", c.figures}});
      if (!c.impossible.empty()) one["checks"].back()["impossible"] = c.impossible;
    }
    one["figures"] = nlohmann::ordered_json::array();
    for (const Figure& f : run.result.figures) {
      nlohmann::ordered_json figure{{"name", file_name(run, f.file)}, {"x", f.x}};
      for (const Curve& c : f.curves) {
        figure["curves"][c.name] = c.y;
        if (!c.half.empty()) figure["intervals"][c.name] = c.half;
      }
      one["figures"].push_back(figure);
    }
    for (const ClaimTable& table : run.result.tables) one["tables"].push_back(as_json(table));
    return one;
  }

  nlohmann::ordered_json as_json(const std::vector<Reproduced>& all) const {
    auto array = nlohmann::ordered_json::array();
    for (const Reproduced& r : all)
      for (const Reproduced::Run& run : r.runs) array.push_back(as_json(r, run));
    return array;
  }

  std::vector<std::string> names_;
  std::string output_;
  ClaimContext context_;
  JsonOutput json_;
};

#endif

const CommandRegistration kReproduce{
    "reproduce", "run the papers' claims again and say whether they hold",
    []() -> std::unique_ptr<Command> { return std::make_unique<ReproduceCommand>(); }};

}  // namespace

}  // namespace hybrid
