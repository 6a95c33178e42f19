#include "emulator/network_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Network : testing::Test {
  SwitchParameters p;
  OptionTable table;
  Network() {
    p.technique = "tdm";
    p.allocation = "adaptive";
    add_switch_options(table, p);
  }
  void set(const char* name, const char* value) { table.set(name, value, name); }
  template <class Do>
  std::string refusal(Do&& what) {
    try {
      what();
    } catch (const UserError& e) {
      return e.what();
    }
    return "accepted";
  }
  std::string checked() {
    return refusal([&] { check(p); });
  }
};

TEST_F(Network, SetsTheTreeAndItsNodes) {
  set("network", "fattree:2,4");
  EXPECT_EQ(p.tree, (FatTreeShape{2, 4, 4}));
  EXPECT_EQ(p.nodes, 16U);
  EXPECT_EQ(network_text(p), "fattree:2,4");
  EXPECT_EQ(checked(), "accepted");
  set("network", "fattree:3,2,3");
  EXPECT_EQ(p.nodes, 27U);
  set("network", "crossbar:20");
  EXPECT_FALSE(p.is_tree());
  EXPECT_EQ(network_text(p), "crossbar:20");
}

TEST_F(Network, APresetKeepsTheTree) {
  set("network", "fattree:2,4");
  set("preset", "ch5");
  EXPECT_EQ(network_text(p), "fattree:2,4");
  EXPECT_EQ(p.nodes, 16U);
}

TEST_F(Network, RefusesANumberOfNodesThatIsNotTheTrees) {
  set("network", "fattree:2,4");
  set("nodes", "20");
  EXPECT_THAT(checked(), AllOf(HasSubstr("nodes: 20"), HasSubstr("fattree:2,4 has 16")));
  EXPECT_THAT(refusal([&] { set("network", "fattree:2,4"); }), HasSubstr("nodes: 20"));
  set("nodes", "16");
  EXPECT_EQ(refusal([&] { set("network", "fattree:2,4"); }), "accepted");
}

TEST_F(Network, RefusesWhatCannotRunOnATreeAndListsWhatCan) {
  set("network", "fattree:2,4");
  EXPECT_EQ(p.allocation, "ses");
  for (const char* technique : {"packet", "circuit", "wave", "coll", "chen-liu"}) {
    p.technique = technique;
    EXPECT_THAT(checked(), AllOf(HasSubstr(technique),
                                 HasSubstr("hybrid, ideal, no-network, tdm, uncontended, wormhole")));
  }
  p.technique = "tdm";
  set("allocation", "adaptive");
  EXPECT_THAT(checked(), AllOf(HasSubstr("adaptive"), HasSubstr("none, preempt, ses, sla")));
  set("network", "fattree:2,4");
  EXPECT_EQ(p.allocation, "adaptive") << "an allocation that was given is kept";
  set("network", "crossbar:16");
  EXPECT_EQ(checked(), "accepted");
}

TEST_F(Network, RefusesOtherFormsAndTreesTooLarge) {
  EXPECT_THAT(refusal([&] { set("network", "ring:4"); }), HasSubstr("crossbar:N"));
  EXPECT_THAT(refusal([&] { set("network", "fattree:2"); }), HasSubstr("fattree"));
  set("network", "fattree:4,16");
  EXPECT_THAT(checked(), HasSubstr("65536"));
  set("network", "fattree:3,256,2");
  EXPECT_THAT(checked(), HasSubstr("more than can be emulated"));
}

TEST_F(Network, RefusesSlotsShorterThanTheDifferenceBetweenCircuits) {
  set("preset", "ch5");
  set("network", "fattree:4,2");
  EXPECT_THAT(checked(), AllOf(HasSubstr("slot-length"), HasSubstr("longest and shortest")));
  set("technique", "wormhole");  // without slots
  EXPECT_EQ(checked(), "accepted");
  set("technique", "tdm");
  set("slot-length", "200ns");
  EXPECT_EQ(checked(), "accepted");
}

TEST_F(Network, CarriesEveryPattern) {
  for (const char* network : {"fattree:2,4", "fattree:3,2", "fattree:2,2,4"})
    for (const char* technique : {"wormhole", "tdm", "hybrid"})
      for (const char* pattern : {"uniform", "transpose", "hotspot", "all-to-all"})
        for (const char* buffer : {"32", "unlimited"})
          for (const char* preload : {"0", "2"}) {
            SCOPED_TRACE(std::string(network) + " " + technique + " " + pattern + " " + buffer + " " +
                         preload);
            SwitchParameters parameters;
            OptionTable options;
            add_switch_options(options, parameters);
            options.set("network", network, "");
            options.set("technique", technique, "");
            options.set("slot-length", "200ns", "");
            options.set("buffer", buffer, "");
            options.set("preload", preload, "");
            if (std::string(pattern) == "transpose" && parameters.nodes != 16) continue;
            TrafficOptions traffic;
            traffic.pattern = pattern;
            traffic.messages = 15;
            const Measures m = simulate(parameters, traffic);  // checks conservation and order
            EXPECT_GT(m.messages, 0U);
            EXPECT_EQ(m.statistics.messages, m.messages);
          }
}

}  // namespace
}  // namespace hybrid
