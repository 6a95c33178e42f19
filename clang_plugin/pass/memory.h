/* What the program keeps in memory: for a variable, everything in the module that may write it. A value read
 * is known if all writers say the same and one of them comes before. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_MEMORY_H
#define HYBRID_CLANG_PLUGIN_PASS_MEMORY_H

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hybrid::pass {

/* An address: so many bytes into the object, plus `index` times `scale` bytes. */
struct Place {
  int64_t offset = 0;
  const llvm::Value* index = nullptr;
  int64_t scale = 0;
  bool known = true;
  int64_t extent = 0; /* with an index: the array's bytes from the offset on; 0 if that is not known */
};

struct Write {
  const llvm::Instruction* instruction;
  Place place;
  int64_t size;             /* -1: to the end */
  const llvm::Value* value; /* what is stored; null: not known. Of a copy the constant copied from */
  bool is_copy = false;     /* `value` is a constant variable, copied from its start, or null for zeros */
};

struct Object {
  bool escaped = false; /* may be written by what is not seen */
  bool leaked = false;  /* its address is where the pass cannot follow */
  std::string why;
  std::vector<Write> writes;
  std::vector<std::pair<const llvm::Instruction*, Place>> loads;
};

class Memory {
 public:
  Memory(const llvm::Module& module, bool whole) : layout_(module.getDataLayout()), whole_(whole) {}

  /* The object that an address leads into: a variable or what a call of new or malloc returned; null if that
   * is not known. */
  const llvm::Value* object_of(const llvm::Value* address, Place& place) const;
  const Object& uses(const llvm::Value* object);
  const llvm::DataLayout& layout() const { return layout_; }

 private:
  struct Walk;
  const llvm::DataLayout& layout_;
  bool whole_;
  std::map<const llvm::Value*, Object> objects_;
};

/* May it write to these bytes? */
bool overlaps(const Write& write, int64_t offset, int64_t size);
/* To an entry, of `size` bytes, of this table? What lies beyond a known extent does not matter. */
bool overlaps_table(const Write& write, const Place& table, int64_t size);

/* Is `function` called from known places only? They are its direct calls. */
bool known_calls(const llvm::Function& function, std::vector<const llvm::CallBase*>& calls);

}  // namespace hybrid::pass

#endif
