// The program's call sites: its calls of MPI, by return address and function (a foreign function interface
// makes all calls from one place). An event names the site of its call by a number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace hybrid {
class DefinitionWriter;
}  // namespace hybrid

namespace hybrid::shim {

/// The call sites of a process, with a definition of each. Thread-safe.
class CallSites {
 public:
  explicit CallSites(DefinitionWriter& definitions) : definitions_(definitions) {}

  /// The number of a site, from 1. A new site is defined: by its object file and the address of the call
  /// there. 0 for the address 0, for more than kMostCallSites sites, and when memory is short.
  /// `function`: the function that the site calls, a literal; nullptr: not known.
  std::uint32_t number(std::uintptr_t returns_to, const char* function) noexcept;

 private:
  void define(std::uint32_t number, std::uintptr_t returns_to, const char* function);

  DefinitionWriter& definitions_;
  std::mutex mutex_;
  std::map<std::pair<std::uintptr_t, const char*>, std::uint32_t> numbers_;
};

/// The numbers of the sites that a thread called from last: some nanoseconds for each, without a lock. Two
/// sites with the same place do not replace each other.
class CallSiteCache {
 public:
  /// `sites` may be nullptr: all numbers are 0 then.
  explicit CallSiteCache(CallSites* sites) : sites_(sites) {}

  std::uint32_t number(std::uintptr_t returns_to, const char* function) {
    const std::size_t place =
        ((returns_to ^ reinterpret_cast<std::uintptr_t>(function)) * 0x9E3779B97F4A7C15ULL) >> (64 - kBits);
    const Entry& entry = entries_[place];
    return entry.address == returns_to && entry.function == function
               ? entry.number
               : number_at_other(place, returns_to, function);
  }

 private:
  std::uint32_t number_at_other(std::size_t place, std::uintptr_t returns_to, const char* function);

  static constexpr unsigned kBits = 8;
  struct Entry {
    std::uintptr_t address = 0;
    const char* function = nullptr;
    std::uint32_t number = 0;
  };
  std::array<Entry, std::size_t{1} << kBits> entries_{};
  CallSites* sites_;
};

}  // namespace hybrid::shim
