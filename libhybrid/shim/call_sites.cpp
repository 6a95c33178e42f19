#include "libhybrid/shim/call_sites.h"

#include <dlfcn.h>
#include <link.h>

#include <exception>
#include <filesystem>
#include <string>

#include "core/event.h"
#include "libhybrid/recording/definitions.h"

namespace hybrid::shim {

std::uint32_t CallSites::number(std::uintptr_t returns_to, const char* function) noexcept {
  if (returns_to == 0) return 0;
  try {
    const std::lock_guard lock(mutex_);
    const auto found = numbers_.find({returns_to, function});
    if (found != numbers_.end()) return found->second;
    if (numbers_.size() >= kMostCallSites) return 0;
    const auto number = static_cast<std::uint32_t>(numbers_.size() + 1);
    numbers_.emplace(std::pair(returns_to, function), number);
    define(number, returns_to, function);
    return number;
  } catch (const std::exception&) {
    return 0;
  }
}

void CallSites::define(std::uint32_t number, std::uintptr_t returns_to, const char* function) {
  const std::uintptr_t call = returns_to - 1;  // the call instruction ends where it returns to
  Dl_info symbol{};
  const link_map* object = nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of code
  if (dladdr1(reinterpret_cast<void*>(call), &symbol,
              const_cast<void**>(reinterpret_cast<const void**>(&object)), RTLD_DL_LINKMAP) == 0 ||
      object == nullptr)
    return;  // code that a program generated: its site has no definition
  const bool is_program = object->l_name[0] == '\0';
  const std::filesystem::path path = is_program ? std::filesystem::read_symlink("/proc/self/exe")
                                                : std::filesystem::absolute(object->l_name);
  definitions_.call_site(number,
                         {path, call - object->l_addr, symbol.dli_sname == nullptr ? "" : symbol.dli_sname,
                          function == nullptr ? "" : function});
}

std::uint32_t CallSiteCache::number_at_other(std::size_t place, std::uintptr_t returns_to,
                                             const char* function) {
  Entry& other = entries_[place ^ 1];
  if (other.address == returns_to && other.function == function) return other.number;
  if (sites_ == nullptr) return 0;
  // The new site gets the place; the one that was there the other place.
  other = entries_[place];
  entries_[place] = {returns_to, function, sites_->number(returns_to, function)};
  return entries_[place].number;
}

}  // namespace hybrid::shim
