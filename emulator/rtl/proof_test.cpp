// The proofs of proofs.h by Yosys' SAT solver, those with a bound by ABC (a part of Yosys): each property
// holds for the design, and fails for a design with a fault that the property must find (most faults:
// nightly).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/rtl/proofs.h"

namespace hybrid {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

enum class Verdict : std::uint8_t { proved, refuted, failed };

/// Yosys' commands from a flat design to AND gates for ABC, whose bounded check is much faster than that of
/// `sat`: it simplifies the clocks together. Undefined bits, and registers without an initial value, have any
/// value.
constexpr std::string_view kToCircuit = R"(setundef -undriven -anyseq
formalff -clk2ff -ff2anyinit
simplemap
alumacc
opt_clean
techmap
opt_expr
opt_clean
setundef -undriven -anyseq
formalff -anyinit2ff -fine
aigmap
write_aiger -zinit {}
)";

/// Yosys' verdict on the property; `log` becomes its output. `fault` is nullptr for the design as it is.
Verdict verdict_on(const Proof& proof, int size, const Fault* fault, std::string& log) {
  const fs::path folder(HYBRID_RTL_SOURCES);
  const auto [steps, by_induction] = proof.bound;
  const fs::path work =
      fs::path(testing::TempDir()) / fmt::format("{}_{}_{}", proof.module, proof.property, getpid());
  fs::create_directories(work);
  const std::string property = folder / "formal" / (proof.module + ".sv");
  // Elaborated when the property uses them, not with their default parameters.
  std::vector<std::string> files;
  for (const std::string& name : kDesigns.at(proof.module)) {
    std::string file = folder / name;
    if (fault != nullptr && fault->file == name) {
      std::string text = read(file);
      const std::size_t at = text.find(fault->text);
      if (at == std::string::npos) throw std::logic_error(name + " does not contain " + fault->text);
      text.replace(at, fault->text.size(), fault->replacement);
      file = work / name;
      std::ofstream(file) << text;
    }
    files.push_back(file);
  }
  const fs::path script = work / "proof.ys", circuit = work / "proof.aig", output = work / "proof.log";
  const bool by_abc = steps != 0 && !by_induction;
  std::ofstream(script)
      << fmt::format(
             R"(read_verilog -defer -sv -formal {}
read_verilog -sv -formal -I{} {}
chparam -set N {} -set PROPERTY {} {}
hierarchy -top {}
proc
flatten
opt -fine
wreduce -keepdc
memory
opt -fine
rename -top proof
)",
             fmt::join(files, " "), (folder / "formal").string(), property, size, proof.property,
             proof.module, proof.module)
      << (by_abc ? fmt::format(kToCircuit, circuit.string())
          : steps == 0
              ? "sat -prove-asserts -set-assumes proof\n"
              : fmt::format("sat -prove-asserts -set-assumes -seq 1 -tempinduct -maxsteps {} proof\n",
                            steps));
  std::string command = fmt::format("{} -q -l {} {}", HYBRID_YOSYS, output.string(), script.string());
  // The clock of the reset, and `steps` clocks.
  if (by_abc)
    command += fmt::format(" && {}-abc -c 'read_aiger {}; fold; strash; bmc3 -F {}' > {}", HYBRID_YOSYS,
                           circuit.string(), steps + 1, output.string());
  const int status = std::system(fmt::format("({}) > {}.errors 2>&1", command, output.string()).c_str());
  log = read(output);
  if (status != 0) log += read(output.string() + ".errors");
  fs::remove_all(work);
  const auto contains = [&](std::string_view text) {
    return status == 0 && log.find(text) != std::string::npos;
  };
  if (contains(by_abc         ? fmt::format("No output asserted in {} frames.", steps + 1)
               : by_induction ? "Induction step proven: SUCCESS!"
                              : "SAT proof finished - no model found: SUCCESS!"))
    return Verdict::proved;
  if (contains(by_abc         ? "was asserted in frame"
               : by_induction ? "SAT temporal induction proof finished - model found for base case: FAIL!"
                              : "SAT proof finished - model found: FAIL!"))
    return Verdict::refuted;
  return Verdict::failed;
}

void expect_proofs(const Proof& proof, const std::vector<int>& sizes) {
  std::string log;
  for (const int size : sizes)
    EXPECT_EQ(verdict_on(proof, size, nullptr, log), Verdict::proved) << "N = " << size << ":\n" << log;
}

void expect_faults(const Proof& proof, int size) {
  std::string log;
  for (const Fault& fault : proof.faults)
    EXPECT_EQ(verdict_on(proof, size, &fault, log), Verdict::refuted)
        << fault.replacement << " instead of " << fault.text << ":\n"
        << log;
}

class ProofTest : public testing::TestWithParam<Proof> {
 protected:
  void SetUp() override {
    if (std::string_view(HYBRID_YOSYS).empty()) GTEST_SKIP() << "Yosys is not installed";
  }
};

TEST_P(ProofTest, Holds) { expect_proofs(GetParam(), GetParam().sizes.all); }

// Tests of the properties, not of the designs: nightly, except for a small design for each way to prove.
const std::vector<std::string> kSmallDesigns{"level_wise_cell_formal", "matching_formal",
                                             "round_robin_formal"};

class FaultTest : public ProofTest {};
TEST_P(FaultTest, NightlyFindsItsFaults) { expect_faults(GetParam(), GetParam().sizes.all.back()); }

class SmallFaultTest : public ProofTest {};
TEST_P(SmallFaultTest, FindsItsFaults) { expect_faults(GetParam(), GetParam().sizes.all.front()); }

class LargeProofTest : public ProofTest {};

TEST_P(LargeProofTest, NightlyHolds) {
  expect_proofs(GetParam(), GetParam().sizes.large);
  if (GetParam().sizes.all.empty()) expect_faults(GetParam(), GetParam().sizes.large.front());
}

std::vector<Proof> proofs_with(std::vector<int> Proof::Sizes::* sizes) {
  std::vector<Proof> chosen = proofs();
  std::erase_if(chosen, [sizes](const Proof& proof) { return (proof.sizes.*sizes).empty(); });
  return chosen;
}

std::vector<Proof> proofs_of_small_designs() {
  std::vector<Proof> chosen = proofs();
  std::erase_if(chosen, [](const Proof& proof) {
    return std::find(kSmallDesigns.begin(), kSmallDesigns.end(), proof.module) == kSmallDesigns.end();
  });
  return chosen;
}

std::string name_of(const testing::TestParamInfo<Proof>& test) {
  return test.param.module + "_" + std::to_string(test.param.property) + "_" + std::to_string(test.index);
}
INSTANTIATE_TEST_SUITE_P(Rtl, ProofTest, testing::ValuesIn(proofs_with(&Proof::Sizes::all)), name_of);
INSTANTIATE_TEST_SUITE_P(Rtl, FaultTest, testing::ValuesIn(proofs_with(&Proof::Sizes::all)), name_of);
INSTANTIATE_TEST_SUITE_P(Rtl, SmallFaultTest, testing::ValuesIn(proofs_of_small_designs()), name_of);
INSTANTIATE_TEST_SUITE_P(Rtl, LargeProofTest, testing::ValuesIn(proofs_with(&Proof::Sizes::large)), name_of);

}  // namespace
}  // namespace hybrid
