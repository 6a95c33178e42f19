// What `hybrid hints` shows of a program's hints: text and JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/hints_check.h"
#include "core/hints/evaluation.h"
#include "core/hints/note_reader.h"

namespace hybrid {

/// The hints as tables, at most `width` columns wide. They are evaluated for a job of `ranks` ranks; 0: they
/// are printed as expressions only.
std::string hints_text(const std::vector<HintUnit>& units, std::uint32_t ranks, HintValues& values,
                       std::size_t width);
nlohmann::ordered_json hints_json(const std::vector<HintUnit>& units, std::uint32_t ranks,
                                  HintValues& values);

std::string check_text(const HintCheck& check, std::size_t width);
nlohmann::ordered_json check_json(const HintCheck& check);

}  // namespace hybrid
