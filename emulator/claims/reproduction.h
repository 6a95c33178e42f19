// Reproduction of claims: runs them on both models of the switch, and where the text is silent on readings of
// it; writes their figures and the page with the verdicts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/claims/claim.h"

namespace hybrid {

struct Reproduced {
  struct Run {
    ClaimModel model;
    ClaimResult result;
  };
  std::string name, description, place;
  /// The dissertation's model, ours, then readings up to the first that holds. One run without a model's name
  /// for a claim that has no models.
  std::vector<Run> runs;
};

/// - holds: every statement holds on the dissertation's model.
/// - under_reading: every statement holds on a reading, but for those shown to be impossible. The text is
///   silent; the reading was found by its outcome.
/// - cannot_hold: every statement that fails on the dissertation's model is shown to be impossible.
/// - fails: some statement fails.
enum class ClaimOutcome { holds, under_reading, cannot_hold, fails };

struct ClaimVerdict {
  ClaimOutcome verdict;
  std::size_t run;   // that decides: of Reproduced::runs
  std::string text;  // "holds under --demand-guard off"
};
ClaimVerdict verdict_of(const Reproduced& reproduced);

/// Returns the names of all claims in the order of the papers (C1, C2, ..., C10, ...), then ours (R1, ...).
std::vector<std::string> claim_names();

/// Runs the claim `name` on both models, and on its readings if it does not hold on the dissertation's. The
/// model of `context` is not used. Once the number of emulations of a run is known, the progress is that of
/// all runs that may follow. Throws UserError for an unknown name.
Reproduced reproduce(std::string_view name, const ClaimContext& context);

/// The file name of a figure or table of that run: those of ours have the plain name, those of others
/// "-dissertation" or the reading's options after it.
std::string file_name(const Reproduced::Run& run, const std::string& file);

/// Writes a CSV file of every figure and table into the existing `directory`, and an SVG file of every figure
/// if `pictures` is given, which needs gnuplot. Throws RunError if writing fails.
void write_figures(const Reproduced& reproduced, const std::string& directory, bool pictures);

/// Returns the page in Markdown: a table of verdicts, the choices of several claims, then for each claim its
/// statements by model, with the dissertation's figures if they fail, arguments, explanation, choices, and
/// figures and tables as links into the directory `pictures`.
/// `command` is the command that generates the page.
std::string reproduction_page(const std::vector<Reproduced>& all, const std::string& pictures,
                              const std::string& command);

}  // namespace hybrid
