#include "libhybrid/recording/source_places.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

// A function of C whose name is that of a type to __cxa_demangle ("f" is float).
extern "C" [[gnu::noinline]] int f(int x) { return x + 1; }

namespace hybrid {
namespace {

[[gnu::noinline]] int of_cxx(int x) { return x + 2; }

CallSite place_of(int (*function)(int)) {
  // This program is relocatable: its symbol table counts from the address at which it is loaded.
  Dl_info program{};
  EXPECT_NE(dladdr(reinterpret_cast<void*>(function), &program), 0);
  const auto address = reinterpret_cast<std::uintptr_t>(function) + 1;
  const CallSiteAddress site{"/proc/self/exe", address - reinterpret_cast<std::uintptr_t>(program.dli_fbase),
                             ""};
  return find_source_places({&site, 1}).front();
}

TEST(SourcePlaces, NamesOfCAreNotDemangled) {
  EXPECT_EQ(f(1) + of_cxx(1), 5);
  if (place_of(&of_cxx).function.starts_with("0x")) GTEST_SKIP() << "needs libdw.so.1";
  EXPECT_EQ(place_of(&f).function, "f");
  EXPECT_NE(place_of(&of_cxx).function.find("of_cxx(int)"), std::string::npos) << place_of(&of_cxx).function;
}

}  // namespace
}  // namespace hybrid
