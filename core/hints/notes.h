// Where notes of hints are: the `.note.hybrid` notes of files and of the running program.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/hints/note_reader.h"

struct dl_phdr_info;

namespace hybrid {

/// Visits the descriptor of each hints' note in the bytes of a note section or segment; notes of others are
/// passed over. `alignment`: the section's or segment's (4 unless it is 8). False where the bytes end within
/// a note: what follows is not visited.
bool for_each_hint_note(std::span<const std::byte> notes, std::size_t alignment,
                        const std::function<void(std::span<const std::byte>)>& visit);

/// The units of an executable, a shared library, a relocatable object or a static archive (of its members
/// that are objects), superseded ones left out (of an archive: object by object). Empty where there are no
/// hints. Throws UserError for a file that cannot be read, is of another kind, or is damaged.
std::vector<HintUnit> read_hint_units(const std::string& path);

struct LoadedHintUnit {
  HintUnit unit;
  const hybrid_unit* at;  // its descriptor in memory: what the program's marks pass, what `addresses` counts
                          // from
};

/// The units of one object of the running program, for a dl_iterate_phdr callback; superseded ones left out.
/// Notes that cannot be used add a message to `refused`. `name` is what messages call the object.
std::vector<LoadedHintUnit> loaded_hint_units(const dl_phdr_info& object, const std::string& name,
                                              std::vector<std::string>& refused);

/// Where load number `address` of a unit in memory reads, before its offset is added: the table's entry.
/// Null where the unit has no table or no such entry.
const void* hint_address(const LoadedHintUnit& loaded, std::uint32_t address);

}  // namespace hybrid
