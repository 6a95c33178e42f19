#include "emulator/claims/reproduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/error.h"

namespace hybrid {

namespace {

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw RunError("cannot write " + path, "Is there room on the disk, and may you write there?");
}

std::string_view verdict(bool holds) { return holds ? "holds" : "does not hold"; }

std::string list(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string text = fmt::format("\n{}:\n\n", title);
  for (const std::string& item : items) text += "- " + item + "\n";
  return text;
}

/// Lists the statements that hold, or those that do not, with figures.
std::string statements(const std::vector<ClaimCheck>& checks, bool hold) {
  std::vector<std::string> items;
  for (const ClaimCheck& check : checks)
    if (check.holds == hold) items.push_back(check.statement + (hold ? "" : ": " + check.figures));
  return list(hold ? "Holds" : "Does not hold", items);
}

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
  Reproduced reproduced{std::string(name), {}, std::string(claim->place()), claim->run(context)};
  for (const Listing& listing : listings())
    if (listing.kind == Claim::kKind && listing.name == name) reproduced.description = listing.description;
  return reproduced;
}

void write_figures(const Reproduced& reproduced, const std::string& directory) {
  for (const Figure& figure : reproduced.result.figures) {
    write_text(directory + "/" + figure.file + ".csv", to_csv(figure));
    write_text(directory + "/" + figure.file + ".svg", to_svg(figure));
  }
  for (const ClaimTable& table : reproduced.result.tables)
    write_text(directory + "/" + table.file + ".csv", to_csv(table));
}

std::string reproduction_page(const std::vector<Reproduced>& all, const std::string& pictures,
                              const std::string& command) {
  std::string page = fmt::format(
      "# Claims of the papers, reproduced\n\n"
      "D is the dissertation that introduced the hybrid switch, L the level-wise scheduling paper, I the "
      "fat-tree\n"
      "memo. Their figures are not available, so a claim is what the text says; rows R are results of this "
      "project.\n"
      "Parameters come from the papers; nothing is tuned per claim. A statement that fails shows its values "
      "at "
      "the first\n"
      "point at which it fails; a CSV of the same name beside each picture has all points. To generate this "
      "page:\n\n"
      "    {}\n\n"
      "| claim | place | what | verdict |\n|---|---|---|---|\n",
      command);
  for (const Reproduced& r : all) {
    std::string anchor = r.name;
    std::transform(anchor.begin(), anchor.end(), anchor.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    page += fmt::format("| [{}](#{}) | {} | {} | {} |\n", r.name, anchor, r.place, r.description,
                        verdict(r.result.holds()));
  }
  for (const Reproduced& r : all) {
    page += fmt::format("\n## {}\n\n{}: **{}**.\n", r.name, r.place, verdict(r.result.holds()));
    page += statements(r.result.checks, false) + statements(r.result.checks, true);
    page += list("Assumptions", r.result.choices);
    if (!r.result.holds() && !r.result.explanation.empty()) page += "\n" + r.result.explanation + "\n";
    for (const ClaimTable& table : r.result.tables) {
      page += fmt::format("\n[{}]({}/{}.csv).", table.title, pictures, table.file);
      for (const std::string& note : table.notes) page += " " + note;
      page += "\n";
    }
    if (!r.result.figures.empty()) page += "\n";
    for (const Figure& figure : r.result.figures)
      page += fmt::format("![{0}]({1}/{0}.svg)\n", figure.file, pictures);
  }
  return page;
}

}  // namespace hybrid
