#include "libhybrid/placement/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/error.h"
#include "libhybrid/placement/testing/machines.h"

namespace hybrid {
namespace {

using ::testing::HasSubstr;

TEST(Machine, ReadsASyntheticTopology) {
  const Machine m = synthetic_machine("package:2 [numa(memory=8GB)] core:4 pu:2");
  EXPECT_EQ(m.packages.size(), 2u);
  EXPECT_EQ(m.numa_nodes.size(), 2u);
  EXPECT_EQ(m.cores.size(), 8u);
  EXPECT_EQ(m.processing_units(), 16u);
  EXPECT_EQ(m.numa_nodes[1].cpus, cpus("8-15"));
  EXPECT_EQ(m.numa_nodes[1].package, 1u);
  EXPECT_EQ(m.numa_nodes[1].memory, 8'000'000'000u);
  EXPECT_EQ(m.cores[5].cpus, cpus("10-11"));
  EXPECT_EQ(m.cores[5].numa, 1u);
  EXPECT_EQ(m.cores[5].package, 1u);
}

TEST(Machine, FindsSeveralNumaNodesInAPackage) {
  const Machine m = synthetic_machine("package:2 group:2 [numa] core:2 pu:1");
  ASSERT_EQ(m.numa_nodes.size(), 4u);
  EXPECT_EQ(m.numa_nodes[2].cpus, cpus("4-5"));
  EXPECT_EQ(m.numa_nodes[2].package, 1u);
}

TEST(Machine, TwoMemoriesOfTheSameUnitsAreOneNumaNode) {
  const Machine m = synthetic_machine("package:2 [numa(memory=8GB)] [numa(memory=1GB)] core:2 pu:1");
  EXPECT_EQ(m.numa_nodes.size(), 2u);
}

TEST(Machine, AssumesANicIfThereIsNone) {
  const Machine m = synthetic_machine("package:1 core:2 pu:1");
  ASSERT_EQ(m.nics.size(), 1u);
  EXPECT_TRUE(m.nic_assumed);
  EXPECT_EQ(m.nics[0].near, m.cpus);
}

TEST(Machine, CountsAnAdapterOnceAndNoEthernetNextToOpenFabrics) {
  const Machine m = machine_from_xml(test_topology("two_nics.xml"));
  ASSERT_EQ(m.nics.size(), 2u);
  EXPECT_FALSE(m.nic_assumed);
  EXPECT_EQ(m.nics[0].name, "mlx5_0");
  EXPECT_EQ(m.nics[0].kind, "openfabrics");
  EXPECT_EQ(m.nics[0].near, cpus("0-3"));
  EXPECT_EQ(m.nics[1].name, "mlx5_1");
  EXPECT_EQ(m.nics[1].near, cpus("4-7"));
  EXPECT_EQ(m.nics[1].numa, 1u);
}

TEST(Machine, ReadsThisHost) {
  const Machine m = this_machine();
  EXPECT_GE(m.packages.size(), 1u);
  EXPECT_GE(m.numa_nodes.size(), 1u);
  EXPECT_GE(m.nics.size(), 1u);
  EXPECT_GE(m.processing_units(), m.cores.size());
  CpuSet in_cores;
  for (const auto& core : m.cores) in_cores |= core.cpus;
  EXPECT_EQ(in_cores, m.cpus);
  EXPECT_FALSE(binding_of_this_thread().empty());
}

std::string error_of(const std::string& path) {
  try {
    machine_for(path);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Machine, RejectsBadXmlAndNamesTheFile) {
  EXPECT_THAT(error_of(::testing::TempDir()), HasSubstr(": a directory, not a file"));
  EXPECT_THAT(error_of("/nonexistent/topology.xml"), HasSubstr("/nonexistent/topology.xml: No such file"));
  const std::string good = synthetic_xml("package:1 core:2 pu:1");
  int n = 0;
  for (const std::string& text : {std::string(), std::string("not XML"), std::string("<html></html>"),
                                  good.substr(0, good.size() / 2), std::string("<topology></topology>")}) {
    const std::string path =
        ::testing::TempDir() + "/bad-" + std::to_string(::getpid()) + "-" + std::to_string(n++) + ".xml";
    std::ofstream(path) << text;
    EXPECT_THAT(error_of(path), HasSubstr(path)) << text;
    EXPECT_THAT(error_of(path), HasSubstr("lstopo")) << text;
    std::filesystem::remove(path);
  }
}

TEST(CpuSet, ReadsAndWritesLists) {
  EXPECT_EQ(cpus("0-3,8").text(), "0-3,8");
  EXPECT_EQ(cpus("3,1,2").text(), "1-3");
  EXPECT_EQ(cpus("").text(), "");
  EXPECT_EQ(cpus("0-3,8").count(), 5u);
  EXPECT_THAT(cpus("1,5").members(), ::testing::ElementsAre(1, 5));
  EXPECT_THROW(CpuSet::parse("x", "--cpus"), UserError);
  EXPECT_THROW(CpuSet::parse("1 2", "--cpus"), UserError);
}

}  // namespace
}  // namespace hybrid
