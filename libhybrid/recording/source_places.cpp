#include "libhybrid/recording/source_places.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "core/readable_name.h"

#ifdef HYBRID_LIBDW  // its headers were found
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#endif

namespace hybrid {

namespace {

#ifdef HYBRID_LIBDW

// libdw's functions. The library is loaded here: libhybrid.so does not link it, so that it is not loaded,
// with the compression libraries that it needs, into programs that are recorded.
struct Libdw {
#define HYBRID_LIBDW_FUNCTIONS(of)                                                                    \
  of(dwfl_begin) of(dwfl_end) of(dwfl_report_offline) of(dwfl_report_end) of(dwfl_module_getelf)      \
      of(dwfl_module_addrname) of(dwfl_module_addrdie) of(dwfl_module_nextcu) of(dwarf_haspc)         \
          of(dwarf_getsrc_die) of(dwarf_linesrc) of(dwarf_lineno) of(dwarf_attr) of(dwarf_formstring) \
              of(dwfl_offline_section_address) of(dwfl_standard_find_debuginfo)
// NOLINTNEXTLINE(bugprone-macro-parentheses): declares the name
#define HYBRID_DECLARE(function) decltype(&::function) function = nullptr;
  HYBRID_LIBDW_FUNCTIONS(HYBRID_DECLARE)
#undef HYBRID_DECLARE
  bool found = true;

  Libdw() {
    void* const library = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
    const auto find = [&](auto& function, const char* name) {
      if (library != nullptr)
        function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      found = found && function != nullptr;
    };
#define HYBRID_FIND(function) find(function, #function);
    HYBRID_LIBDW_FUNCTIONS(HYBRID_FIND)
#undef HYBRID_FIND
  }
};

// The debug information of one object file.
class DebugInformation {
 public:
  DebugInformation(const Libdw& libdw, const std::string& object) : libdw_(libdw) {
    callbacks_.find_debuginfo = libdw.dwfl_standard_find_debuginfo;
    callbacks_.section_address = libdw.dwfl_offline_section_address;
    callbacks_.debuginfo_path = &debuginfo_path_;
    session_ = libdw.dwfl_begin(&callbacks_);
    if (session_ == nullptr) return;
    module_ = libdw.dwfl_report_offline(session_, object.c_str(), object.c_str(), -1);
    libdw.dwfl_report_end(session_, nullptr, nullptr);
    if (module_ != nullptr && libdw.dwfl_module_getelf(module_, &bias_) == nullptr) module_ = nullptr;
  }
  ~DebugInformation() {
    if (session_ != nullptr) libdw_.dwfl_end(session_);
  }
  DebugInformation(const DebugInformation&) = delete;
  DebugInformation& operator=(const DebugInformation&) = delete;

  /// An empty function or file is not known.
  CallSite place(std::uint64_t address) const {
    CallSite site;
    if (module_ == nullptr) return site;
    const Dwarf_Addr at = address + bias_;
    if (const char* const symbol = libdw_.dwfl_module_addrname(module_, at); symbol != nullptr)
      site.function = readable_name(symbol);
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = compile_unit(at, bias);
    Dwarf_Line* const line = unit == nullptr ? nullptr : libdw_.dwarf_getsrc_die(unit, at - bias);
    int number = 0;
    if (line == nullptr || libdw_.dwarf_lineno(line, &number) != 0 || number <= 0) return site;
    const char* const file = libdw_.dwarf_linesrc(line, nullptr, nullptr);
    if (file == nullptr) return site;
    Dwarf_Attribute attribute;
    const char* const directory =
        libdw_.dwarf_formstring(libdw_.dwarf_attr(unit, kCompileDirectory, &attribute));
    site.file = (std::filesystem::path(directory == nullptr ? "" : directory) / file).lexically_normal();
    site.line = static_cast<std::uint32_t>(number);
    return site;
  }

 private:
  static constexpr unsigned kCompileDirectory = 0x1b;  // DW_AT_comp_dir

  // By the index of addresses, which clang leaves out, or else by the ranges of each unit.
  Dwarf_Die* compile_unit(Dwarf_Addr at, Dwarf_Addr& bias) const {
    Dwarf_Die* unit = libdw_.dwfl_module_addrdie(module_, at, &bias);
    if (unit != nullptr) return unit;
    while ((unit = libdw_.dwfl_module_nextcu(module_, unit, &bias)) != nullptr)
      if (libdw_.dwarf_haspc(unit, at - bias) > 0) return unit;
    return nullptr;
  }

  const Libdw& libdw_;
  char* debuginfo_path_ = nullptr;
  Dwfl_Callbacks callbacks_{};
  Dwfl* session_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr bias_ = 0;
};

#endif

}  // namespace

std::vector<CallSite> find_source_places(std::span<const CallSiteAddress> calls) {
  std::vector<CallSite> sites(calls.size());
#ifdef HYBRID_LIBDW
  const Libdw libdw;
  std::map<std::string, std::unique_ptr<DebugInformation>> objects;
  for (std::size_t i = 0; libdw.found && i < calls.size(); ++i) {
    auto& object = objects[calls[i].object];
    if (object == nullptr) object = std::make_unique<DebugInformation>(libdw, calls[i].object);
    sites[i] = object->place(calls[i].address);
  }
#endif
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (sites[i].function.empty()) sites[i].function = calls[i].symbol;
    if (sites[i].function.empty())
      sites[i].function = fmt::format("{:#x} in {}", calls[i].address,
                                      std::filesystem::path(calls[i].object).filename().string());
  }
  return sites;
}

}  // namespace hybrid
