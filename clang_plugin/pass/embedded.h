/* A unit's code as it was before optimisation, in its object file: what the link step reads. The section is
 * not loaded; it holds records, one behind the other, each with what ties it to the unit's note. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_EMBEDDED_H
#define HYBRID_CLANG_PLUGIN_PASS_EMBEDDED_H

#include <llvm/IR/Module.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hybrid::pass {

inline constexpr char kCodeSection[] = ".hybrid.bitcode";

struct EmbeddedUnit {
  uint32_t id_low = 0, id_high = 0;           /* of the unit's note; 0 and 0 if it has none */
  std::map<std::string, uint32_t> procedures; /* phases of the unit's note, by symbol */
  std::string code;                           /* bitcode */
};

/* Sanitizers put room around a program's variables; what is read by others stays as it is. */
void spare_from_sanitizers(llvm::GlobalVariable& variable);

std::string code_of(const llvm::Module& module);
void embed(llvm::Module& module, const EmbeddedUnit& unit);

/* The records of a section's contents; nothing if it is damaged. */
std::optional<std::vector<EmbeddedUnit>> read_embedded(std::string_view section);

}  // namespace hybrid::pass

#endif
