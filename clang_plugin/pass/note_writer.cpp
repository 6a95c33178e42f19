#include "clang_plugin/pass/note_writer.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <cstddef>
#include <cstring>

#include "clang_plugin/pass/embedded.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Before the descriptor: three words and the name, padded to a multiple of four bytes. */
constexpr uint32_t kNameBytes = sizeof(HYBRID_NOTE_NAME), kPaddedName = (kNameBytes + 3) / 4 * 4;
constexpr uint32_t kBefore = 12 + kPaddedName;

/* Creates the table of addresses, which the loader fills in. */
GlobalVariable* address_table(Module& module, const std::vector<std::string>& names) {
  if (names.empty()) return nullptr;
  std::vector<Constant*> addresses;
  for (const std::string& name : names) {
    Constant* variable = module.getNamedValue(name);
    if (!variable) variable = module.getOrInsertGlobal(name, Type::getInt8Ty(module.getContext()));
    addresses.push_back(variable);
  }
  auto* type = ArrayType::get(PointerType::getUnqual(module.getContext()), addresses.size());
  return new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage,
                            ConstantArray::get(type, addresses), "hybrid.addresses");
}

}  // namespace

WrittenNote write_note(Module& module, const Extraction& extraction, const std::string& name, bool whole) {
  LLVMContext& context = module.getContext();
  hybrid_unit head{};
  Note note = extraction.note;
  head.name = note.string(name);
  std::string body = note.pack(head);
  head.version = HYBRID_NOTE_VERSION;
  head.flags = whole ? static_cast<uint32_t>(HYBRID_UNIT_WHOLE) : 0;
  const uint64_t identity = xxh3_64bits(name + body);
  head.id_low = static_cast<uint32_t>(identity);
  head.id_high = static_cast<uint32_t>(identity >> 32);
  head.address_count = static_cast<uint32_t>(extraction.addresses.size());

  std::string front(kBefore, '\0');
  const uint32_t words[] = {kNameBytes, head.size, HYBRID_NOTE_TYPE};
  std::memcpy(front.data(), words, sizeof words);
  std::memcpy(front.data() + sizeof words, HYBRID_NOTE_NAME, kNameBytes);
  front.append(reinterpret_cast<const char*>(&head), offsetof(hybrid_unit, addresses_low));

  /* The distance to the table refers to the variable that contains it: create that first, with its type. */
  Constant* before = ConstantDataArray::getString(context, front, false);
  Constant* after = ConstantDataArray::getString(context, body, false);
  Type* number = Type::getInt64Ty(context);
  auto* type = StructType::get(context, {before->getType(), number, after->getType()}, true);
  auto* variable =
      new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage, nullptr, "hybrid.note");
  Constant* distance = ConstantInt::get(number, 0);
  if (GlobalVariable* table = address_table(module, extraction.addresses)) {
    Constant* field = ConstantExpr::getGetElementPtr(Type::getInt8Ty(context), variable,
                                                     ConstantInt::get(number, front.size()));
    distance = ConstantExpr::getSub(ConstantExpr::getPtrToInt(table, number),
                                    ConstantExpr::getPtrToInt(field, number));
  }
  variable->setInitializer(ConstantStruct::get(type, {before, distance, after}));
  spare_from_sanitizers(*variable);
  variable->setSection(HYBRID_NOTE_SECTION);
  variable->setAlignment(Align(4));
  appendToCompilerUsed(module, {variable});
  Constant* unit =
      ConstantExpr::getGetElementPtr(Type::getInt8Ty(context), variable, ConstantInt::get(number, kBefore));
  return {unit, head.id_low, head.id_high};
}

}  // namespace hybrid::pass
