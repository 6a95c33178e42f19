// Claims reproduced: runs them, writes their figures, and makes the page that tells of them.
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

/// All claims' names in the papers' order (C1, C2, ..., C10, ...), then ours (R1, ...).
std::vector<std::string> claim_names();

/// Runs the claim of that name. Throws UserError for an unknown one.
Reproduced reproduce(std::string_view name, const ClaimContext& context);

/// Writes NAME.csv and NAME.svg of every figure, and NAME.csv of every table, into `directory`, which exists.
/// Throws RunError where it cannot.
void write_figures(const Reproduced& reproduced, const std::string& directory);

/// The page: a table of verdicts, then each claim with its checks, choices, explanation, figures (as
/// links into `pictures`) and tables. `command` is how to make it again.
std::string reproduction_page(const std::vector<Reproduced>& all, const std::string& pictures,
                              const std::string& command);

}  // namespace hybrid
