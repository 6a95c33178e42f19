// Writes the notes of compiled_phases.c like the compiler's plugin, as a C file of assembly, so that the
// shim's tests need no plugin: write_compiled_notes [whole] > notes.c; whole: with a note of the whole
// program.
#include <cstddef>
#include <cstdio>
#include <string>

#include "core/hints/testing/unit_builder.h"

namespace {

// `table`: the symbol of the table of addresses; the linker computes the distance to it.
void write(const char* symbol, const std::string& descriptor, const char* table) {
  std::printf("__asm__(\".pushsection .note.hybrid,\\\"a\\\",@note\\n.balign 4\\n.long 7,%zu,%d\\n\"\n",
              descriptor.size(), HYBRID_NOTE_TYPE);
  std::printf("\".asciz \\\"hybrid\\\"\\n.balign 4\\n.globl %s\\n%s:\\n\"\n", symbol, symbol);
  for (std::size_t i = 0; i < descriptor.size(); ++i) {
    if (i == offsetof(hybrid_unit, addresses_low) && table != nullptr) {
      std::printf("\".quad %s-.\\n\"\n", table);
      i += 7;
      continue;
    }
    std::printf("\".byte %d\\n\"\n", static_cast<unsigned char>(descriptor[i]));
  }
  std::puts("\".balign 4\\n.popsection\\n\");");
}

// The phases in the order of the enum of compiled_phases.c; `before`: another phase comes first.
hybrid::UnitBuilder unit(bool before) {
  using hybrid::UnitBuilder;
  UnitBuilder b("compiled_phases.c");
  const auto at_distance = [&](UnitBuilder::Node by) {
    return b.node(HYBRID_MOD, b.node(HYBRID_ADD, b.rank(), by), b.size());
  };
  if (before) b.phase({.name = "another file's"});
  const auto ring = b.phase({.name = "ring"});
  b.site({.peer = at_distance(b.constant(1)), .phase = ring});
  const auto shifted = b.phase({.name = "shifted"});
  b.site({.peer = at_distance(b.load("shift", 0)), .phase = shifted, .site_class = HYBRID_ANALYSABLE});
  const auto fresh = b.phase({.name = "fresh", .flags = HYBRID_PHASE_FLUSH | HYBRID_PHASE_PRELOAD});
  b.site({.peer = at_distance(b.constant(2)), .phase = fresh});
  const auto unknown = b.phase({.name = "partly unknown"});
  b.site({.peer = at_distance(b.constant(3)), .phase = unknown});
  b.site({.peer = b.input("who"), .phase = unknown, .site_class = HYBRID_DYNAMIC});
  return b;
}

}  // namespace

int main(int argc, char**) {
  write("compiled_unit", unit(false).bytes(), "compiled_addresses");
  if (argc > 1) {
    hybrid::UnitBuilder whole = unit(true);
    whole.flags = HYBRID_UNIT_WHOLE;
    whole.phases[0].origin_phase = HYBRID_NONE;
    for (std::uint32_t i = 1; i < whole.phases.size(); ++i) {
      whole.phases[i].origin_phase = i - 1;
      whole.phases[i].origin_low = 1;  // the builder's
    }
    std::string bytes = whole.bytes();
    bytes[offsetof(hybrid_unit, id_low)] = 2;
    write("whole_program", bytes, "compiled_addresses");
  }
  std::string other = hybrid::UnitBuilder("old.c").bytes();
  other[0] = 99;
  write("unit_of_another_version", other, nullptr);
}
