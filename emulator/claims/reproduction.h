// Reproduction of claims: runs them, writes their figures and the page with the results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emulator/claims/claim.h"

namespace hybrid {

struct Reproduced {
  std::string name, description, place;
  ClaimResult result;
};

/// Returns the names of all claims in the order of the papers (C1, C2, ..., C10, ...), then ours (R1, ...).
std::vector<std::string> claim_names();

/// Runs the claim `name`. Throws UserError for an unknown name.
Reproduced reproduce(std::string_view name, const ClaimContext& context);

/// Writes NAME.csv and NAME.svg of every figure, and NAME.csv of every table, into the existing `directory`.
/// Throws RunError if writing fails.
void write_figures(const Reproduced& reproduced, const std::string& directory);

/// Returns the page in Markdown: a table of verdicts, then for each claim its statements, with figures if
/// they fail, choices, explanation, and figures and tables as links into the directory `pictures`. `command`
/// is the command that generates the page.
std::string reproduction_page(const std::vector<Reproduced>& all, const std::string& pictures,
                              const std::string& command);

}  // namespace hybrid
