#include "core/readable_name.h"

#include <gtest/gtest.h>

namespace hybrid {
namespace {

TEST(ReadableName, OfCAndUnknownSymbolsIsTheSymbol) {
  for (const char* symbol : {"", "f", "main", "halo_", "_Q", "_Qlower", "_QM", "__MOD_", "__heat_MOD_",
                             "_Znot_mangled", "_QMaP", "_QF", "_QMaF"})
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
  // decltype (({parm#1}->x)()) f<A*>(A*)
  EXPECT_EQ(readable_name("_Z1fIP1AEDTclptfp_1xEET_"), "f<A*>(A*)");
  EXPECT_EQ(readable_name("_Z1fIiE10operator_tT_"), "f<int>(int)");  // operator_t f<int>(int)
  EXPECT_EQ(readable_name("_Z4haloi.cold"), "halo(int) [clone .cold]");
  EXPECT_EQ(readable_name("_Z4haloB5cxx11i"), "halo[abi:cxx11](int)");
}

TEST(ReadableName, ParametersFollowTheWholeName) {
  const auto name = [](std::string_view text) { return std::string(text.substr(0, parameters_of(text))); };
  EXPECT_EQ(name("main"), "main");
  EXPECT_EQ(name("f(int):12"), "f");
  EXPECT_EQ(name("ns::(anonymous namespace)::f(int)"), "ns::(anonymous namespace)::f");
  EXPECT_EQ(name("(anonymous namespace)::f<void (int)>(int)"), "(anonymous namespace)::f<void (int)>");
  EXPECT_EQ(name("main::{lambda(int)#1}::operator()(int) const"), "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(name("A::operator int() const"), "A::operator int");
  EXPECT_EQ(name("operator<<(A&, int)"), "operator<<");
}

TEST(ReadableName, OfFortran) {
  EXPECT_EQ(readable_name("_QQmain"), "main");
  EXPECT_EQ(readable_name("MAIN__"), "main");
  EXPECT_EQ(readable_name("_QMheatPstep"), "heat::step");
  EXPECT_EQ(readable_name("__heat_MOD_step"), "heat::step");
  EXPECT_EQ(readable_name("_QMheatFstepPhalo"), "heat::step::halo");
  EXPECT_EQ(readable_name("_QFPhalo"), "main::halo");  // a procedure of the main program
  EXPECT_EQ(readable_name("_QMheatSmoreEwidth"), "heat::more::width");
}

}  // namespace
}  // namespace hybrid
