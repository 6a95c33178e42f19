// Writes the notes of compiled_phases.c like the compiler's plugin, as a C file of assembly, so that the
// shim's tests need no plugin: write_compiled_notes > notes.c.
#include <cstdio>
#include <string>

#include "core/hints/testing/unit_builder.h"

namespace {

void write(const char* symbol, const std::string& descriptor) {
  std::printf("__asm__(\".pushsection .note.hybrid,\\\"a\\\",@note\\n.balign 4\\n.long 7,%zu,%d\\n\"\n",
              descriptor.size(), HYBRID_NOTE_TYPE);
  std::printf("\".asciz \\\"hybrid\\\"\\n.balign 4\\n.globl %s\\n%s:\\n\"\n", symbol, symbol);
  for (const char byte : descriptor) std::printf("\".byte %d\\n\"\n", static_cast<unsigned char>(byte));
  std::puts("\".balign 4\\n.popsection\\n\");");
}

// The phases in the order of the enum of compiled_phases.c.
hybrid::UnitBuilder unit() {
  using hybrid::UnitBuilder;
  UnitBuilder b("compiled_phases.c");
  const auto at_distance = [&](UnitBuilder::Node by) {
    return b.node(HYBRID_MOD, b.node(HYBRID_ADD, b.rank(), by), b.size());
  };
  const auto ring = b.phase({.name = "ring"});
  b.site({.peer = at_distance(b.constant(1)), .phase = ring});
  const auto shifted = at_distance(b.argument("shift", 0));
  b.phase({.name = "shifted", .connections = b.list({b.rank(), shifted}), .value_count = 1});
  const auto fresh = b.phase({.name = "fresh", .flags = HYBRID_PHASE_FLUSH | HYBRID_PHASE_PRELOAD});
  b.site({.peer = at_distance(b.constant(2)), .phase = fresh});
  const auto unknown = b.phase({.name = "partly unknown"});
  b.site({.peer = at_distance(b.constant(3)), .phase = unknown});
  b.site({.peer = b.input("who"), .phase = unknown, .site_class = HYBRID_DYNAMIC});
  return b;
}

}  // namespace

int main() {
  write("compiled_unit", unit().bytes());
  std::string other = hybrid::UnitBuilder("old.c").bytes();
  other[0] = 99;
  write("unit_of_another_version", other);
}
