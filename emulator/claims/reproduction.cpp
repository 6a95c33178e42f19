#include "emulator/claims/reproduction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "core/error.h"

namespace hybrid {

namespace {

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw RunError("cannot write " + path, "Is there room on the disk, and may you write there?");
}

std::string list(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string text = fmt::format("\n{}:\n\n", title);
  for (const std::string& item : items) text += "- " + item + "\n";
  return text;
}

const ClaimCheck* check_of(const ClaimResult& result, const std::string& statement) {
  for (const ClaimCheck& check : result.checks)
    if (check.statement == statement) return &check;
  return nullptr;
}

/// The statements of all runs, in the order of their first occurrence.
std::vector<std::string> statements(const std::vector<Reproduced::Run>& runs) {
  std::vector<std::string> all;
  for (const Reproduced::Run& run : runs)
    for (const ClaimCheck& check : run.result.checks)
      if (std::find(all.begin(), all.end(), check.statement) == all.end()) all.push_back(check.statement);
  return all;
}

/// Texts with the keys that they have (models, claims), each text once, in the order of their first
/// occurrence.
class Arguments {
 public:
  void add(const std::string& key, const std::string& text) {
    auto same = std::find_if(all_.begin(), all_.end(), [&](const auto& a) { return a.text == text; });
    if (same == all_.end()) same = all_.insert(all_.end(), {{}, text});
    if (std::find(same->keys.begin(), same->keys.end(), key) == same->keys.end()) same->keys.push_back(key);
  }
  struct Group {
    std::vector<std::string> keys, texts;
  };
  /// The texts that have the same keys.
  std::vector<Group> groups() const {
    std::vector<Group> groups;
    for (const Argument& a : all_) {
      auto same =
          std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.keys == a.keys; });
      if (same == groups.end()) same = groups.insert(groups.end(), {a.keys, {}});
      same->texts.push_back(a.text);
    }
    return groups;
  }

 private:
  struct Argument {
    std::vector<std::string> keys;
    std::string text;
  };
  std::vector<Argument> all_;
};

bool holds_on_all(const std::vector<Reproduced::Run>& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run.result.holds(); });
}

/// The number of the text in the list, from 1 on; adds it if it is new.
std::size_t number_of(const std::string& text, std::vector<std::string>& list) {
  const auto at = static_cast<std::size_t>(std::find(list.begin(), list.end(), text) - list.begin());
  if (at == list.size()) list.push_back(text);
  return at + 1;
}

/// "**impossible (1)** at 2 of 3 points, ...", with the number of the argument.
std::string outcome(const ClaimCheck& check, bool with_values, std::vector<std::string>& impossible) {
  if (check.holds) return "yes";
  std::string text = check.impossible.empty()
                         ? "**no**"
                         : fmt::format("**impossible ({})**", number_of(check.impossible, impossible));
  if (with_values) text += (check.figures.starts_with("at ") ? " " : ": ") + check.figures;
  return text;
}

/// The statements of a place in the papers by model, and why some cannot hold.
std::string outcomes(const std::string& place, const std::vector<Reproduced::Run>& runs) {
  if (holds_on_all(runs))
    return list(fmt::format("{}, holds{}", place,
                            runs.size() == 1   ? ""
                            : runs.size() == 2 ? " on both models"
                                               : " on all models"),
                statements(runs));
  std::vector<std::string> impossible;
  std::string header = "\n| " + place + " |", line = "\n|---|", rows;
  for (const Reproduced::Run& run : runs) {
    header += fmt::format(" {} |", run.model.name.empty() ? "holds" : run.model.name);
    line += "---|";
  }
  for (const std::string& statement : statements(runs)) {
    rows += fmt::format("\n| {} |", statement);
    for (const Reproduced::Run& run : runs) {
      const ClaimCheck* const check = check_of(run.result, statement);
      if (check != nullptr) rows += " " + outcome(*check, &run == &runs.front(), impossible);
      rows += " |";
    }
  }
  std::string arguments;
  for (std::size_t i = 0; i < impossible.size(); ++i)
    arguments += fmt::format("{}. {}\n", i + 1, impossible[i]);
  return header + line + rows + "\n" + (arguments.empty() ? "" : "\nImpossible:\n\n" + arguments);
}

/// Why statements do not hold, behind the models on which they do not, unless these are all that fail.
std::string reasons(const std::vector<Reproduced::Run>& runs) {
  Arguments explanations;
  std::vector<std::string> failing;
  for (const Reproduced::Run& run : runs) {
    if (run.result.holds()) continue;
    failing.push_back(run.model.name);
    for (const std::string& part : run.result.explanation) explanations.add(run.model.name, part);
  }
  std::vector<std::string> items;
  for (const Arguments::Group& group : explanations.groups())
    items.push_back((group.keys == failing ? "" : fmt::format("{}: ", fmt::join(group.keys, "; "))) +
                    fmt::format("{}", fmt::join(group.texts, " ")));
  return list("Reasons", items);
}

/// Whether a reading satisfies every statement but those that can hold neither on it nor by the text.
bool holds_as_far_as_possible(const ClaimResult& reading, const ClaimResult& by_the_text) {
  return std::all_of(reading.checks.begin(), reading.checks.end(), [&](const ClaimCheck& check) {
    if (check.holds || check.impossible.empty()) return check.holds;
    const ClaimCheck* const same = check_of(by_the_text, check.statement);
    return same != nullptr && !same->holds && !same->impossible.empty();
  });
}

std::string link_to(const std::string& claim) {
  std::string anchor = claim;
  std::transform(anchor.begin(), anchor.end(), anchor.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return fmt::format("[{}](#{})", claim, anchor);
}

/// The assumptions of several claims, and those of one.
struct Assumptions {
  std::string shared;  // section of the page, or empty
  std::map<std::string, std::string> own;

  explicit Assumptions(const std::vector<Reproduced>& all) {
    Arguments choices;
    for (const Reproduced& r : all)
      for (const std::string& choice : r.runs.front().result.choices) choices.add(link_to(r.name), choice);
    std::map<std::string, std::vector<std::string>> alone;
    std::set<std::string> sharing;
    for (const Arguments::Group& group : choices.groups()) {
      if (group.keys.size() == 1) {
        alone[group.keys.front()] = group.texts;
        continue;
      }
      shared += list(fmt::format("{}", fmt::join(group.keys, ", ")), group.texts);
      sharing.insert(group.keys.begin(), group.keys.end());
    }
    if (!shared.empty()) shared = "\n## Shared assumptions\n" + shared;
    for (const Reproduced& r : all) {
      const std::string key = link_to(r.name);
      const std::string link = "[shared ones](#shared-assumptions)";
      if (!sharing.contains(key))
        own[r.name] = list("Assumptions", alone[key]);
      else if (alone[key].empty())
        own[r.name] = fmt::format("\nAssumptions: the {}.\n", link);
      else
        own[r.name] = list(fmt::format("Assumptions, besides the {}", link), alone[key]);
    }
  }
};

}  // namespace

std::vector<std::string> claim_names() {
  std::vector<std::string> names;
  for (const std::string_view name : registered_names(Claim::kKind)) names.emplace_back(name);
  // The papers' claims, then our own figures; C2 before C10: shorter names first.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    if (a.front() != b.front()) return a.front() < b.front();
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

Reproduced reproduce(std::string_view name, const ClaimContext& context) {
  const auto claim = ClaimRegistration::make(name);
  Reproduced reproduced{std::string(name), {}, std::string(claim->place()), {}};
  for (const Listing& listing : listings())
    if (listing.kind == Claim::kKind && listing.name == name) reproduced.description = listing.description;
  std::uint64_t of_a_run = 0, runs = 1;
  const auto run = [&](ClaimModel model) {
    ClaimContext on = context;
    on.model = model;
    const std::uint64_t ended = reproduced.runs.size() * of_a_run;
    std::uint64_t step = 0, steps = 0;  // emulations of this step, and of those before
    if (context.progress)
      on.progress = [&](std::uint64_t done, std::uint64_t all) {
        if (done == 0) steps += std::exchange(step, all);
        if (of_a_run == 0)
          context.progress(done, all);
        else
          context.progress(ended + steps + done, runs * of_a_run);
      };
    reproduced.runs.push_back({std::move(model), claim->run(on)});
    if (of_a_run == 0) of_a_run = steps + step;
  };
  if (!claim->has_models()) {
    run({});
    return reproduced;
  }
  run(dissertation_model());
  std::vector<ClaimModel> readings;
  if (!reproduced.runs.front().result.holds()) readings = claim->readings();
  runs = 2 + readings.size();
  run(our_model());
  for (ClaimModel& reading : readings) {
    run(std::move(reading));
    if (reproduced.runs.back().result.holds()) break;
  }
  return reproduced;
}

ClaimVerdict verdict_of(const Reproduced& reproduced) {
  const ClaimResult& by_the_text = reproduced.runs.front().result;
  if (by_the_text.holds()) return {ClaimOutcome::holds, 0, "holds"};
  const std::size_t all = by_the_text.checks.size(), fail = by_the_text.failing(),
                    impossible = by_the_text.impossible();
  const auto under = [&](std::size_t i) {
    const ClaimModel& model = reproduced.runs[i].model;
    return (model.contradicts ? "holds against the text with " : "holds under ") + model.name;
  };
  for (std::size_t i = 2; i < reproduced.runs.size(); ++i)
    if (reproduced.runs[i].result.holds()) return {ClaimOutcome::under_reading, i, under(i)};
  if (fail != impossible)
    for (std::size_t i = 2; i < reproduced.runs.size(); ++i)
      if (holds_as_far_as_possible(reproduced.runs[i].result, by_the_text))
        return {ClaimOutcome::under_reading, i,
                fmt::format("{} but for what cannot hold ({} of {} statements)", under(i),
                            reproduced.runs[i].result.failing(), all)};
  if (fail == impossible && fail != 0)
    return {ClaimOutcome::cannot_hold, 0, fmt::format("cannot hold ({} of {} statements)", fail, all)};
  return {ClaimOutcome::fails, 0, fmt::format("does not hold ({} of {} statements)", fail, all)};
}

std::string file_name(const Reproduced::Run& run, const std::string& file) {
  if (run.model.name.empty() || run.model.name == our_model().name) return file;
  std::string suffix;
  for (const char c : run.model.name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      suffix += c;
    else if (!suffix.empty() && suffix.back() != '-')
      suffix += '-';
  return file + "-" + suffix;
}

void write_figures(const Reproduced& reproduced, const std::string& directory, bool pictures) {
  std::string script;
  for (const Reproduced::Run& run : reproduced.runs) {
    for (const Figure& figure : run.result.figures) {
      const std::string path = directory + "/" + file_name(run, figure.file);
      write_text(path + ".csv", to_csv(figure));
      if (pictures) script += to_gnuplot(figure, path + ".svg");
    }
    for (const ClaimTable& table : run.result.tables)
      write_text(directory + "/" + file_name(run, table.file) + ".csv", to_csv(table));
  }
  if (!script.empty()) draw(script);
}

std::string reproduction_page(const std::vector<Reproduced>& all, const std::string& pictures,
                              const std::string& command) {
  std::string page = fmt::format(
      R"(# Claims of the papers, reproduced

D is the dissertation that introduced the hybrid switch, L the level-wise scheduling paper, I the fat-tree memo. Their
figures are not available: a claim is what the text says. Rows R are results of this project. Parameters come from the
papers and are the same for all claims. There are two models of the switch:

- **dissertation** (`--model dissertation`) follows the text: preloads take no pass of the scheduler (D 3.4.1, 4.2.2),
  the NIC makes the header and tail of worms in no time (D 8.4.1), meshes wrap (D 5.5.2.1), random messages do not use
  the mesh and phases are separate (D 4.6). Circuits climb to the top of a fat tree, without which the lower ends of L
  5 are not reached; L 3 turns them at the lowest common switch. Each queue of a NIC has its own buffer; D 3.4.1 has one
  pool.
- **ours** is what this project would build, and the default of every command.

Verdicts: **holds**; **holds under** a reading, an option where the text is silent; **holds against the text** with a
reading that the text contradicts; **cannot hold**, with the argument; **does not hold**. Readings were found by looking
at the outcome. Thresholds such as 'close: within 25 %' are ours.

"**no** at 5 of 9 points, 128 to 2048: 0.587" has the first and the last point that fail, and the values at the first;
"**impossible (1)**" the number of the argument. For ours and readings the command's output has these values. CSV files
beside the pictures have all points, with 95 % confidence intervals. To generate this page:

    {}

| claim | what | verdict | ours |
|---|---|---|---|
)",
      command);
  for (const Reproduced& r : all) {
    const std::string ours = r.runs.size() < 2 ? "" : r.runs[1].result.holds() ? "holds" : "no";
    page += fmt::format("| {} | {} | {} | {} |\n", link_to(r.name), r.description, verdict_of(r).text, ours);
  }
  const Assumptions assumptions(all);
  page += assumptions.shared;
  for (const Reproduced& r : all) {
    page += fmt::format("\n## {}\n", r.name) + outcomes(r.place, r.runs);
    for (std::size_t i = 2; i < r.runs.size(); ++i)
      page += fmt::format("\nReading `{}`{}: {}\n", r.runs[i].model.name,
                          r.runs[i].model.contradicts ? ", against the text" : "", r.runs[i].model.open);
    page += reasons(r.runs);
    page += assumptions.own.at(r.name);
    for (const Reproduced::Run& run : r.runs)
      for (const ClaimTable& table : run.result.tables) {
        page += fmt::format("\n[{}{}]({}/{}.csv).", table.title,
                            run.model.name.empty() ? "" : ", " + run.model.name, pictures,
                            file_name(run, table.file));
        for (const std::string& note : table.notes) page += " " + note;
        page += "\n";
      }
    if (std::any_of(r.runs.begin(), r.runs.end(),
                    [](const auto& run) { return !run.result.figures.empty(); }))
      page += "\n";
    for (const Reproduced::Run& run : r.runs)
      for (const Figure& figure : run.result.figures)
        page += fmt::format("![{0}]({1}/{0}.svg)\n", file_name(run, figure.file), pictures);
  }
  return page;
}

}  // namespace hybrid
