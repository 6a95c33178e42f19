// Finds the notes of hints: the `.note.hybrid` notes of files and of the running program.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/hints/note_reader.h"

struct dl_phdr_info;

namespace hybrid {

/// Calls visit(descriptor) for each hint note in the bytes of a note section or segment; skips other notes.
/// `alignment`: of the section or segment; any value other than 8 means 4. Returns false if the bytes end
/// within a note, after visiting the notes before it.
bool for_each_hint_note(std::span<const std::byte> notes, std::size_t alignment,
                        const std::function<void(std::span<const std::byte>)>& visit);

/// The units of an executable, a shared library, a relocatable object or a static archive (the objects in
/// it). Empty if there are no hints. Throws
/// UserError for a file that cannot be read, is of another kind, or is damaged.
std::vector<HintUnit> read_hint_units(const std::string& path);
/// The same, but a file without hints is a UserError that names it as `subject`.
std::vector<HintUnit> require_hint_units(const std::string& path, const std::string& subject);

struct LoadedHintUnit {
  HintUnit unit;
  const hybrid_unit* at;  // the descriptor in memory, which the program's marks pass
};

/// The units of one object of the running program, for a dl_iterate_phdr callback.
/// Appends an error message to `rejected` for each invalid note. `name` is the name of the object in
/// messages.
std::vector<LoadedHintUnit> loaded_hint_units(const dl_phdr_info& object, const std::string& name,
                                              std::vector<std::string>& rejected);

}  // namespace hybrid
