/* Embeds a unit's code, as it was before optimisation, into its object file. The link step reads it. The
 * section is not loaded; it contains consecutive records, each with the id of the unit's note:
 *
 *     (nothing)   ->   @hybrid.bitcode = private constant [...] section ".hybrid.bitcode", !exclude */
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clang_plugin/pass/inspectors.h"

namespace hybrid::pass {

inline constexpr char kCodeSection[] = ".hybrid.bitcode";

struct EmbeddedUnit {
  uint32_t id_low = 0, id_high = 0;           /* of the unit's note; 0 and 0 if it has none */
  std::map<std::string, uint32_t> procedures; /* phases of the unit's note, by symbol */
  std::vector<InspectedSite> inspected;       /* that the whole program's note takes over */
  std::string code;                           /* bitcode */
};

/* Excludes a variable that other tools read from the padding that sanitizers add. */
void spare_from_sanitizers(llvm::GlobalVariable& variable);

/* Returns the module as bitcode. */
std::string code_of(const llvm::Module& module);
/* Adds the record of the unit to the module. */
void embed(llvm::Module& module, const EmbeddedUnit& unit);

/* Returns the records of a section; nothing if it is damaged. */
std::optional<std::vector<EmbeddedUnit>> read_embedded(std::string_view section);

}  // namespace hybrid::pass
