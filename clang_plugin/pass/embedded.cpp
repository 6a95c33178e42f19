#include "clang_plugin/pass/embedded.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <cstring>

namespace hybrid::pass {

using namespace llvm;

namespace {

constexpr char kMagic[8] = {'H', 'Y', 'B', 'C', 'O', 'D', 'E', '2'};

void put(std::string& bytes, uint32_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/* Reads consecutive values. `good` becomes false at the end of the bytes. */
struct Reader {
  std::string_view bytes;
  bool good = true;

  std::string_view take(size_t count) {
    if (count > bytes.size()) return good = false, std::string_view();
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  }
  uint32_t number() {
    const std::string_view taken = take(4);
    uint32_t value = 0;
    if (good) std::memcpy(&value, taken.data(), sizeof value);
    return value;
  }
};

}  // namespace

void spare_from_sanitizers(GlobalVariable& variable) {
  GlobalValue::SanitizerMetadata none{};
  none.NoAddress = none.NoHWAddress = true;
  variable.setSanitizerMetadata(none);
}

std::string code_of(const Module& module) {
  std::string code;
  raw_string_ostream stream(code);
  WriteBitcodeToFile(module, stream);
  return code;
}

void embed(Module& module, const EmbeddedUnit& unit) {
  std::string bytes(kMagic, sizeof kMagic);
  put(bytes, unit.id_low);
  put(bytes, unit.id_high);
  put(bytes, static_cast<uint32_t>(unit.procedures.size()));
  for (const auto& [name, phase] : unit.procedures) {
    put(bytes, phase);
    put(bytes, static_cast<uint32_t>(name.size()));
    bytes += name;
  }
  put(bytes, static_cast<uint32_t>(unit.inspected.size()));
  for (const InspectedSite& site : unit.inspected) {
    put(bytes, site.line);
    put(bytes, site.column);
    put(bytes, site.speculative);
    put(bytes, static_cast<uint32_t>(site.function.size()));
    bytes += site.function;
  }
  put(bytes, static_cast<uint32_t>(unit.code.size()));
  bytes += unit.code;
  Constant* data = ConstantDataArray::getString(module.getContext(), bytes, false);
  auto* variable =
      new GlobalVariable(module, data->getType(), true, GlobalValue::PrivateLinkage, data, "hybrid.bitcode");
  spare_from_sanitizers(*variable);
  variable->setSection(kCodeSection);
  variable->setAlignment(Align(1));
  /* Not loaded into memory, and not copied by linkers. */
  variable->setMetadata(LLVMContext::MD_exclude, MDNode::get(module.getContext(), {}));
  appendToCompilerUsed(module, {variable});
}

std::optional<std::vector<EmbeddedUnit>> read_embedded(std::string_view section) {
  std::vector<EmbeddedUnit> units;
  Reader reader{section};
  while (!reader.bytes.empty()) {
    if (reader.take(sizeof kMagic) != std::string_view(kMagic, sizeof kMagic)) return std::nullopt;
    EmbeddedUnit unit;
    unit.id_low = reader.number();
    unit.id_high = reader.number();
    const uint32_t count = reader.number();
    for (uint32_t i = 0; reader.good && i < count; ++i) {
      const uint32_t phase = reader.number(), length = reader.number();
      unit.procedures[std::string(reader.take(length))] = phase;
    }
    const uint32_t sites = reader.number();
    for (uint32_t i = 0; reader.good && i < sites; ++i) {
      InspectedSite& site = unit.inspected.emplace_back();
      site.line = reader.number();
      site.column = reader.number();
      site.speculative = reader.number() != 0;
      site.function = std::string(reader.take(reader.number()));
    }
    unit.code = std::string(reader.take(reader.number()));
    if (!reader.good) return std::nullopt;
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace hybrid::pass
