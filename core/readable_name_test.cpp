#include "core/readable_name.h"

#include <gtest/gtest.h>

namespace hybrid {
namespace {

TEST(ReadableName, OfCAndUnknownSymbolsIsTheSymbol) {
  for (const char* symbol :
       {"", "f", "main", "halo_", "_Q", "_Qlower", "_QM", "__MOD_", "_Znot_mangled", "_QMaP"})
    EXPECT_EQ(readable_name(symbol), symbol);
}

TEST(ReadableName, OfCxxHasNoReturnType) {
  EXPECT_EQ(readable_name("_Z4stepi"), "step(int)");
  EXPECT_EQ(readable_name("_ZN4heat4stepEi"), "heat::step(int)");
  EXPECT_EQ(readable_name("_Z4haloIiEvT_"), "halo<int>(int)");  // void halo<int>(int)
  EXPECT_EQ(readable_name("_Z4haloImEmSt6vectorIT_SaIS1_EE"),   // unsigned long halo<unsigned long>(...)
            "halo<unsigned long>(std::vector<unsigned long, std::allocator<unsigned long> >)");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_14haloIiEEvT_"), "(anonymous namespace)::halo<int>(int)");
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_14haloEi"), "(anonymous namespace)::halo(int)");
  EXPECT_EQ(readable_name("_ZN1AclIiEEvT_"), "A::operator()<int>(int)");  // void A::operator()<int>(int)
  EXPECT_EQ(readable_name("_ZN1AcvT_IiEEv"), "A::operator int<int>()");
  EXPECT_EQ(readable_name("_ZZ4mainENKUliE_clEi"), "main::{lambda(int)#1}::operator()(int) const");
  EXPECT_EQ(readable_name("_Z1fIiEDTfp_ET_"), "f<int>(int)");  // decltype ({parm#1}) f<int>(int)
}

TEST(ReadableName, OfFortran) {
  EXPECT_EQ(readable_name("_QQmain"), "main");
  EXPECT_EQ(readable_name("MAIN__"), "main");
  EXPECT_EQ(readable_name("_QMheatPstep"), "heat::step");
  EXPECT_EQ(readable_name("__heat_MOD_step"), "heat::step");
  EXPECT_EQ(readable_name("_QMheatFstepPhalo"), "heat::step::halo");
  EXPECT_EQ(readable_name("_QFPhalo"), "main::halo");  // a procedure of the main program
}

}  // namespace
}  // namespace hybrid
