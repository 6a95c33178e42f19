#include "core/option.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/error.h"
#include "core/units.h"

namespace hybrid {
namespace {

struct Settings {
  std::uint64_t slots = 4;
  std::string technique = "hybrid";
  OptionTable table;
  Settings() {
    table.add({"slots", "K", "predictive slots", "4",
               [this](std::string_view v) { slots = parse_count(v, "slots", 64); }});
    table.add({"technique", "NAME", "how the switch switches", "hybrid",
               [this](std::string_view v) { technique = v; }});
    table.add({"slot-length", "TIME", "of a slot", "100ns", [](std::string_view) {}});
  }
};

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Option, IsSetByName) {
  Settings s;
  s.table.set("slots", "8", "--slots");
  s.table.set("technique", "tdm", "run.toml:3");
  EXPECT_EQ(s.slots, 8u);
  EXPECT_EQ(s.technique, "tdm");
}

TEST(Option, ListsOptionsInTheOrderAdded) {
  const Settings s;
  ASSERT_EQ(s.table.options().size(), 3u);
  EXPECT_EQ(s.table.options()[0].name, "slots");
  EXPECT_EQ(s.table.options()[2].name, "slot-length");
  EXPECT_EQ(s.table.find("slot-length"), &s.table.options()[2]);
  EXPECT_EQ(s.table.find("slot_length"), nullptr);
  EXPECT_EQ(s.table.find(""), nullptr);
}

TEST(Option, AnInvalidValueIsReportedWithItsOrigin) {
  Settings s;
  EXPECT_EQ(error_of([&] { s.table.set("slots", "many", "run.toml:7"); }),
            "run.toml:7: slots: 'many' is not a whole number up to 64");
  EXPECT_EQ(s.slots, 4u);
}

TEST(Option, AnUnknownNameIsReportedWithTheClosestName) {
  Settings s;
  const std::string text = error_of([&] { s.table.set("slot-lenght", "1ns", "run.toml:2"); });
  EXPECT_TRUE(text.starts_with("run.toml:2: unknown option 'slot-lenght'")) << text;
  EXPECT_NE(text.find("Did you mean 'slot-length'?"), std::string::npos) << text;
  EXPECT_EQ(error_of([&] { s.table.set("frobnicate", "1", "--frobnicate"); }),
            "--frobnicate: unknown option 'frobnicate'");
}

TEST(Option, ANameMayBeAddedOnce) {
  Settings s;
  EXPECT_THROW(s.table.add({"slots", "", "", "", [](std::string_view) {}}), std::logic_error);
}

TEST(Option, ReadsEnvironmentVariables) {
  Settings s;
  const char* const environment[] = {"HOME=/root",       "HYBRID_SLOTS=12",
                                     "XHYBRID_SLOTS=1",  "HYBRID_TECHNIQUE=wave=form",
                                     "HYBRID_SLOTZ=3",   "HYBRIDSLOTS=5",
                                     "HYBRID_NO_EQUALS", "HYBRID_=1",
                                     "hybrid_slots=2",   nullptr};
  EXPECT_EQ(s.table.set_from_environment(environment), (std::vector<std::string>{"HYBRID_", "HYBRID_SLOTZ"}));
  EXPECT_EQ(s.slots, 12u);
  EXPECT_EQ(s.technique, "wave=form") << "only the first = separates";
}

TEST(Option, VariablesApplyInTheOrderOfTheTable) {
  std::string order;
  OptionTable table;
  for (const char* name : {"preset", "nodes", "alpha"})
    table.add({name, "", "", "", [&order, name](std::string_view) { order += std::string(name) + " "; }});
  const char* const environment[] = {"HYBRID_ALPHA=1", "HYBRID_NODES=2", "HYBRID_PRESET=ch5", nullptr};
  table.set_from_environment(environment);
  EXPECT_EQ(order, "preset nodes alpha ");
}

TEST(Option, OptionsMarkedFirstApplyFirst) {
  std::string order;
  OptionTable table;
  for (const char* name : {"nodes", "preset", "alpha"})
    table.add({name, "", "", "", [&order, name](std::string_view) { order += std::string(name) + " "; },
               name == std::string_view("preset")});
  const char* const environment[] = {"HYBRID_ALPHA=1", "HYBRID_NODES=2", "HYBRID_PRESET=ch5", nullptr};
  table.set_from_environment(environment);
  EXPECT_EQ(order, "preset nodes alpha ");
}

TEST(Option, AnEmptyEnvironmentSetsNothing) {
  const Settings s;
  const char* const none[] = {nullptr};
  EXPECT_TRUE(s.table.set_from_environment(none).empty());
  EXPECT_TRUE(s.table.set_from_environment(nullptr).empty());
}

TEST(Option, AnInvalidVariableIsReportedByName) {
  Settings s;
  const char* const environment[] = {"HYBRID_SLOTS=x", nullptr};
  EXPECT_TRUE(
      error_of([&] { s.table.set_from_environment(environment); }).starts_with("HYBRID_SLOTS: slots: 'x'"));
}

TEST(Option, AnEmptyVariableIsIgnored) {
  Settings s;
  s.table.set("slots", "7", "");
  const char* const environment[] = {"HYBRID_SLOTS=", nullptr};
  EXPECT_TRUE(s.table.set_from_environment(environment).empty());
  EXPECT_EQ(s.slots, 7u);
}

TEST(Option, VariablesAreNamedAfterTheOption) {
  EXPECT_EQ(environment_name("slot-length"), "HYBRID_SLOT_LENGTH");
  EXPECT_EQ(environment_name("n"), "HYBRID_N");
}

TEST(ClosestName, FindsMisspellingsOnly) {
  const std::vector<std::string_view> known{"greedy", "matching", "level-wise", "wave"};
  EXPECT_EQ(closest_name("gredy", known), "greedy");
  EXPECT_EQ(closest_name("greddy", known), "greedy");
  EXPECT_EQ(closest_name("mathcing", known), "matching");
  EXPECT_EQ(closest_name("levelwise", known), "level-wise");
  EXPECT_EQ(closest_name("wave", known), "wave");
  EXPECT_EQ(closest_name("optimal", known), "");
  EXPECT_EQ(closest_name("greedy", {}), "");
  const std::vector<std::string_view> variables{"HYBRID_WORD", "HYBRID_SLOTS", "HYBRID_TECHNIQUE"};
  EXPECT_EQ(closest_variable("HYBRID_SLOTSS", variables), "HYBRID_SLOTS");
  EXPECT_EQ(closest_variable("HYBRID_FOO", variables), "");
  EXPECT_EQ(closest_variable("SLOTS", variables), "");
}

TEST(ClosestName, PrefersTheSmallestDistance) {
  EXPECT_EQ(closest_name("markov3", {"timeout", "markov1", "markov", "counter"}), "markov1")
      << "both differ in one letter: the first one";
  EXPECT_EQ(closest_name("slot", {"slots", "slot-length", "plot"}), "slots");
}

TEST(OptionTable, AnErrorContainsTheFlagOnce) {
  OptionTable table;
  table.add({"nodes", "N", "", "", [](std::string_view v) {
               throw UserError(v == "1" ? "nodes: '1' is too few" : "node 7 is not there");
             }});
  const auto said = [&](const char* value, const char* origin) {
    try {
      table.set("nodes", value, origin);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said("1", "--nodes"), "--nodes: '1' is too few");
  EXPECT_EQ(said("2", "--nodes"), "--nodes: node 7 is not there");
  EXPECT_EQ(said("1", "run.toml:3"), "run.toml:3: nodes: '1' is too few");
}

}  // namespace
}  // namespace hybrid
