/* The contents of memory: for a variable, all instructions of the module that may write it. A value that is
 * read is known if all writers write the same value and one of them comes before the read. */
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hybrid::pass {

/* An address in an object: `offset` plus `index` times `scale` bytes. */
struct Place {
  int64_t offset = 0;
  const llvm::Value* index = nullptr;
  int64_t scale = 0;
  bool known = true;
  int64_t extent = 0; /* with an index: the array's bytes from the offset on; 0 if unknown */
};

struct Write {
  const llvm::Instruction* instruction;
  Place place;
  int64_t size;             /* -1: to the end */
  const llvm::Value* value; /* the stored value; null if unknown. For a copy, its constant source */
  bool is_copy = false;     /* `value` is a constant variable, copied from its start, or null for zeros */
};

struct Object {
  bool escaped = false; /* code that is not visible may write it */
  std::string why;
  std::vector<Write> writes;
  std::vector<std::pair<const llvm::Instruction*, Place>> loads;
};

class Memory {
 public:
  explicit Memory(const llvm::Module& module) : layout_(module.getDataLayout()) {}

  /* Returns the object of an address: a variable, or the result of new or malloc; null if unknown. */
  const llvm::Value* object_of(const llvm::Value* address, Place& place) const;
  const Object& uses(const llvm::Value* object);
  const llvm::DataLayout& layout() const { return layout_; }

 private:
  struct Walk;
  const llvm::DataLayout& layout_;
  std::map<const llvm::Value*, Object> objects_;
};

/* Whether it may write to these bytes. */
bool overlaps(const Write& write, int64_t offset, int64_t size);

/* Whether `function` is called from known places only. `calls` are then its direct calls. */
bool known_calls(const llvm::Function& function, std::vector<const llvm::CallBase*>& calls);

}  // namespace hybrid::pass
