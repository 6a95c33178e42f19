// The pass as a library that compilers load.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "clang_plugin/pass/testing/compiled.h"

namespace hybrid::pass_test {
namespace {

// Acts as a compiler: reports an LLVM version, and loads the pass.
constexpr char kHost[] = R"(
#include <dlfcn.h>
#include <stdio.h>
void LLVMGetVersion(unsigned* a, unsigned* b, unsigned* c) { *a = MAJOR; *b = 0; *c = 6; }
struct info { unsigned api; const char *name, *version; void (*callbacks)(void*); };
int main(int count, char** words) {
  void* pass = dlopen(words[count - 1], RTLD_LAZY);
  if (!pass) return puts(dlerror()), 3;
  struct info (*get)(void) = (struct info (*)(void))dlsym(pass, "llvmGetPassPluginInfo");
  puts(get().callbacks ? "accepted" : "rejected");
  return 0;
}
)";

std::string loaded_by(const std::string& major) {
  std::ofstream(folder() + "/host.c") << kHost;
  const std::string host = folder() + "/host" + major;
  const auto [code, words] =
      run(HYBRID_TEST_CLANG " -rdynamic -DMAJOR=" + major + " " + folder() + "/host.c -o " + host +
          " -L" HYBRID_TEST_LLVM " -Wl,-rpath," HYBRID_TEST_LLVM " -Wl,--no-as-needed -lLLVM-19");
  return code != 0 ? words : run(host + " " HYBRID_TEST_PASS).second;
}

TEST(Plugin, OfAnotherLlvmIsRejectedWithAMessage) {
  EXPECT_EQ(loaded_by("19"), "accepted\n");
  EXPECT_EQ(
      loaded_by("17"),
      "hybrid: this pass is for LLVM 19, but LLVM 17.0.6 loaded it; use clang-19, flang-new-19 or opt-19\n"
      "rejected\n");
}

}  // namespace
}  // namespace hybrid::pass_test
