#include "libhybrid/placement/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/random.h"
#include "libhybrid/placement/describe.h"
#include "libhybrid/placement/testing/machines.h"

namespace hybrid {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Facts of one rank per binding, all on one host.
std::vector<RankFacts> ranks_bound(std::string_view kind, const Machine& m,
                                   const std::vector<std::string>& bindings) {
  std::vector<RankFacts> facts;
  for (const std::string& binding : bindings) facts.push_back(locate(kind, m, cpus(binding), 0));
  return facts;
}

TEST(Placement, KindRankGivesEachRankAPort) {
  const Machine m = synthetic_machine("package:1 core:2 pu:1");
  const Placement p = assign_ports("rank", unbound_ranks("rank", m, 5, 2));
  EXPECT_THAT(p.port_of_rank, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(p.ports(), 5u);
  EXPECT_THAT(p.notes, IsEmpty());
}

TEST(Placement, PlacesBoundRanksAtTheirBinding) {
  const Machine m = synthetic_machine("package:2 [numa] core:4 pu:2");
  const std::vector<std::string> bindings{"14-15", "0", "1", "8"};  // cores 7, 0, 0, 4
  EXPECT_THAT(assign_ports("core", ranks_bound("core", m, bindings)).port_of_rank, ElementsAre(2, 0, 0, 1));
  EXPECT_THAT(assign_ports("numa", ranks_bound("numa", m, bindings)).port_of_rank, ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(assign_ports("host", ranks_bound("host", m, bindings)).port_of_rank, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(assign_ports("core", ranks_bound("core", m, bindings)).notes, IsEmpty());
}

TEST(Placement, DistributesUnboundRanksInOrderAndNotesIt) {
  const Machine m = synthetic_machine("package:2 [numa] core:2 pu:1");
  const auto dealt = [&m](const char* kind, std::uint32_t ranks) {
    return assign_ports(kind, unbound_ranks(kind, m, ranks, 1));
  };
  EXPECT_THAT(dealt("core", 3).port_of_rank, ElementsAre(0, 1, 2));
  EXPECT_THAT(dealt("core", 8).port_of_rank, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(dealt("numa", 4).port_of_rank, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(dealt("numa", 4).notes, ElementsAre(HasSubstr("dealt")));
}

TEST(Placement, DistributesRanksBoundToANumaNodeWithinIt) {
  const Machine m = synthetic_machine("package:2 [numa] core:2 pu:1");
  const auto facts = ranks_bound("core", m, {"2-3", "2-3", "0-1"});
  const Placement p = assign_ports("core", facts);
  EXPECT_THAT(p.port_of_rank, ElementsAre(1, 2, 0));
  EXPECT_THAT(p.port_names, ElementsAre("host 0 core 0", "host 0 core 2", "host 0 core 3"));
}

TEST(Placement, PlacesARankAtTheNearestNic) {
  const Machine m = machine_from_xml(test_topology("two_nics.xml"));
  const Placement p = assign_ports("nic", ranks_bound("nic", m, {"5", "1", "4-7", "0"}));
  EXPECT_THAT(p.port_of_rank, ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(p.notes, IsEmpty());
  // Unbound: all NICs are equally near.
  EXPECT_THAT(assign_ports("nic", unbound_ranks("nic", m, 4, 1)).port_of_rank, ElementsAre(0, 0, 1, 1));
}

TEST(Placement, ANicOfTheSamePackageIsNearerThanOneOfAnother) {
  Machine m = synthetic_machine("package:2 group:2 [numa] core:2 pu:1");
  m.nics = {{"a", "openfabrics", cpus("2-3"), 1},
            {"b", "openfabrics", cpus("6-7"), 3},
            {"c", "network", m.cpus, Machine::kUnknown}};
  EXPECT_THAT(locate("nic", m, cpus("0"), 0).objects, ElementsAre(0));  // package 0, other NUMA node
  EXPECT_THAT(locate("nic", m, cpus("6"), 0).objects, ElementsAre(1));  // same NUMA node
  EXPECT_THAT(locate("nic", m, cpus("0-7"), 0).objects, ElementsAre(0, 1, 2));
}

TEST(Placement, WithoutNicsAHostHasOnePort) {
  const Machine m = synthetic_machine("package:2 [numa] core:2 pu:1");
  const Placement p = assign_ports("nic", unbound_ranks("nic", m, 6, 2));
  EXPECT_THAT(p.port_of_rank, ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(p.notes, ElementsAre(HasSubstr("taken to have one")));
}

TEST(Placement, HostsAreNumberedByTheirFirstRank) {
  std::vector<RankFacts> facts;
  for (const std::uint32_t host : {7u, 3u, 7u, 12u, 3u}) facts.push_back({host, {0}, "0", false});
  const Placement p = assign_ports("host", facts);
  EXPECT_THAT(p.port_of_rank, ElementsAre(0, 1, 0, 2, 1));
  EXPECT_THAT(p.host_of_rank, ElementsAre(0, 1, 0, 2, 1));
  EXPECT_THAT(p.port_names, ElementsAre("host 0", "host 1", "host 2"));
}

TEST(Placement, ReplacesTheHosts) {
  const Machine m = synthetic_machine("package:1 core:4 pu:1");
  std::vector<RankFacts> facts = ranks_bound("core", m, {"0", "1", "2", "3", "0"});
  pretend_hosts(2, facts);
  const Placement p = assign_ports("core", facts);
  // Ranks 0-2 on host 0 and 3-4 on host 1: core 0 of host 1 is not core 0 of host 0.
  EXPECT_THAT(p.port_of_rank, ElementsAre(0, 1, 2, 4, 3));
  std::vector<RankFacts> few = ranks_bound("core", m, {"0"});
  EXPECT_THROW(pretend_hosts(2, few), UserError);
}

TEST(Placement, EveryPortHasARankAndEveryRankAPossibleObject) {
  const Machine m = synthetic_machine("package:2 group:2 [numa] core:3 pu:2");
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    for (const std::string_view kind : kPlacementKinds) {
      std::vector<RankFacts> facts;
      const std::uint64_t ranks = 1 + random.below(40);
      for (std::uint64_t r = 0; r < ranks; ++r) {
        const std::uint64_t from = random.below(24), to = from + random.below(24 - from);
        facts.push_back(locate(kind, m, cpus(std::to_string(from) + "-" + std::to_string(to)),
                               static_cast<std::uint32_t>(random.below(3))));
      }
      const Placement p = assign_ports(kind, facts);
      ASSERT_EQ(p.port_of_rank.size(), facts.size());
      std::vector<int> used(p.ports());
      for (const Port port : p.port_of_rank) ++used.at(port);
      EXPECT_THAT(used, ::testing::Each(::testing::Gt(0)));
      if (kind == "rank" || kind == "host") continue;
      for (std::size_t r = 0; r < facts.size(); ++r) {
        const std::string& name = p.port_names[p.port_of_rank[r]];
        const auto object = static_cast<std::uint32_t>(std::stoul(name.substr(name.rfind(' ') + 1)));
        EXPECT_THAT(facts[r].objects, ::testing::Contains(object));
      }
    }
  }
}

TEST(Placement, RejectsAnUnknownKindAndSuggestsTheClosest) {
  const Machine m = synthetic_machine("package:1 core:1 pu:1");
  for (const auto& attempt : {+[](const Machine& x) { locate("nuna", x, CpuSet(), 0); },
                              +[](const Machine&) { assign_ports("nuna", {}); }}) {
    try {
      attempt(m);
      ADD_FAILURE() << "no error";
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("'nuna'"));
      EXPECT_THAT(error.what(), HasSubstr("did you mean 'numa'"));
    }
  }
  EXPECT_THROW(unbound_ranks("core", m, 0, 1), UserError);
  EXPECT_THROW(unbound_ranks("core", m, 1, 0), UserError);
}

TEST(RankFacts, DecodeToTheEncodedFacts) {
  const Machine m = machine_from_xml(test_topology("two_nics.xml"));
  for (const std::string_view kind : kPlacementKinds)
    for (const char* binding : {"", "3", "0-7", "2,5"}) {
      const RankFacts facts = locate(kind, m, cpus(binding), 4'000'000'000u);
      EXPECT_EQ(decode_facts(encode(facts)), facts);
    }
  for (const char* bad : {"", "1", "1 0", "1 0 0", "x 0 0 0", "1 2 0 0", "1 0 a 0", "1 0 0 0 0"})
    EXPECT_THROW(decode_facts(bad), RunError) << bad;
}

TEST(ServiceCpus, PreferCoresWithoutARank) {
  const Machine m = synthetic_machine("package:1 core:4 pu:2");
  const std::vector<CpuSet> three{cpus("0-1"), cpus("2"), cpus("4-5")};
  const ServiceCpus on_core = choose_service_cpus(m, three);
  EXPECT_EQ(on_core.cpus, "6-7");
  EXPECT_TRUE(on_core.spare);
  const std::vector<CpuSet> one_thread_each{cpus("0"), cpus("2"), cpus("4"), cpus("6-7")};
  const ServiceCpus on_unit = choose_service_cpus(m, one_thread_each);
  EXPECT_EQ(on_unit.cpus, "1,3,5");
  EXPECT_TRUE(on_unit.spare);
}

TEST(ServiceCpus, AreUnrestrictedOnAFullMachineAndNoteIt) {
  const Machine m = synthetic_machine("package:1 core:2 pu:1");
  const ServiceCpus full = choose_service_cpus(m, std::vector<CpuSet>{cpus("0"), cpus("1")});
  EXPECT_EQ(full.cpus, "");
  EXPECT_FALSE(full.spare);
  EXPECT_THAT(full.note, HasSubstr("2 ranks on 2 processing units leave none free"));
  // An unbound rank may run on any CPU, but needs only one of them.
  const ServiceCpus loose = choose_service_cpus(m, std::vector<CpuSet>{CpuSet()});
  EXPECT_EQ(loose.cpus, "");
  EXPECT_TRUE(loose.spare);
}

TEST(Describe, TextAndJsonAgree) {
  const Machine m = machine_from_xml(test_topology("two_nics.xml"));
  const auto facts = unbound_ranks("nic", m, 4, 2);
  const Placement p = assign_ports("nic", facts);
  EXPECT_THAT(describe(m, 200), HasSubstr("2 packages, 2 NUMA nodes, 8 cores, 8 processing units, 2 NICs"));
  EXPECT_THAT(describe(m), HasSubstr("mlx5_1 (openfabrics)"));
  EXPECT_THAT(describe(p, facts), HasSubstr("host 1 NIC 1"));
  const auto machine = to_json(m);
  EXPECT_EQ(machine["nics"][1]["near"], "4-7");
  EXPECT_EQ(machine["cores"][5]["numa_node"], 1);
  EXPECT_EQ(machine["numa_nodes"][0]["memory_bytes"], 17179869184u);
  const auto placement = to_json(p, facts);
  EXPECT_EQ(placement["placement"], "nic");
  EXPECT_EQ(placement["ports"].size(), 4u);
  EXPECT_EQ(placement["ranks"][3]["port"], 3);
  EXPECT_EQ(placement["ports"][3]["ranks"], nlohmann::json::array({3}));
  EXPECT_EQ(placement["notes"].size(), 1u);
}

}  // namespace
}  // namespace hybrid
