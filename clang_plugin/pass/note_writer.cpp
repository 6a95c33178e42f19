#include "clang_plugin/pass/note_writer.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <cstring>

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Before the descriptor: three words and the name, padded to a multiple of four bytes. */
constexpr uint32_t kNameBytes = sizeof(HYBRID_NOTE_NAME), kPaddedName = (kNameBytes + 3) / 4 * 4;
constexpr uint32_t kBefore = 12 + kPaddedName;

}  // namespace

Constant* write_note(Module& module, Note note, const std::string& name) {
  LLVMContext& context = module.getContext();
  hybrid_unit head{};
  head.name = note.string(name);
  const std::string body = note.pack(head);
  head.version = HYBRID_NOTE_VERSION;
  const uint64_t identity = xxh3_64bits(name + body);
  head.id_low = static_cast<uint32_t>(identity);
  head.id_high = static_cast<uint32_t>(identity >> 32);

  std::string bytes(kBefore, '\0');
  const uint32_t words[] = {kNameBytes, head.size, HYBRID_NOTE_TYPE};
  std::memcpy(bytes.data(), words, sizeof words);
  std::memcpy(bytes.data() + sizeof words, HYBRID_NOTE_NAME, kNameBytes);
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head) += body;

  Constant* content = ConstantDataArray::getString(context, bytes, false);
  auto* variable = new GlobalVariable(module, content->getType(), true, GlobalValue::PrivateLinkage, content,
                                      "hybrid.note");
  GlobalValue::SanitizerMetadata none{}; /* no padding around it */
  none.NoAddress = none.NoHWAddress = true;
  variable->setSanitizerMetadata(none);
  variable->setSection(HYBRID_NOTE_SECTION);
  variable->setAlignment(Align(4));
  appendToCompilerUsed(module, {variable});
  return ConstantExpr::getGetElementPtr(Type::getInt8Ty(context), variable,
                                        ConstantInt::get(Type::getInt64Ty(context), kBefore));
}

}  // namespace hybrid::pass
