// `hybrid hints` on programs made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/child.h"
#include "core/hints/testing/elf_image.h"
#include "core/hints/testing/unit_builder.h"
#include "core/temporary_directory.h"
#include "emulator/replay/testing/archive.h"
#include "emulator/replay/trace_names.h"

namespace hybrid {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using Node = UnitBuilder::Node;

class Hints : public testing::Test {
 protected:
  // A ring in one phase, sends to whom an input says in another, and a broadcast.
  Hints() {
    UnitBuilder b("ring.c");
    const auto ring = b.phase({.name = "ring"});
    const auto ask = b.phase({.name = "ask", .flags = HYBRID_PHASE_PRELOAD});
    b.phase({.name = "seen", .profile = b.constants({6, 0, 2, 6, 1, 5, 8, 0, 1})});
    const Node rank = b.rank(), size = b.size(), one = b.constant(1);
    const Node next = b.node(HYBRID_ADD, rank, one), before = b.node(HYBRID_SUB, rank, one);
    b.site({.peer = b.node(HYBRID_MOD, next, size), .phase = ring, .call = "MPI_Isend", .line = 10});
    b.site({.peer = before, .guard = b.node(HYBRID_LT, b.constant(0), rank), .phase = ring, .line = 11});
    b.site({.peer = b.node(HYBRID_ANY_SOURCE), .call = "MPI_Recv", .kind = HYBRID_RECEIVE, .line = 12});
    b.site({.peer = b.input("params.master"),
            .guard = b.node(HYBRID_NE, rank, b.constant(0)),
            .phase = ask,
            .site_class = HYBRID_INSPECTED,
            .line = 20,
            .reason = "params.master is read from a file"});
    b.site({.peer = b.constant(0), .call = "MPI_Bcast", .kind = HYBRID_COLLECTIVE, .line = 30});
    // The same call again, where a procedure was put in, and less is known.
    b.site({.peer = b.input("any"), .call = "MPI_Isend", .site_class = HYBRID_DYNAMIC, .line = 40});
    b.site({.peer = rank, .call = "MPI_Isend", .line = 40});
    std::ofstream("ring", std::ios::binary) << elf_image(ET_EXEC, b.note());
  }

  static std::string output(std::vector<std::string> words, int code = 0) {
    words.insert(words.begin(), {HYBRID_COMMAND, "hints"});
    ChildEnd end;
    std::string text = output_of(words, end);
    EXPECT_EQ(end.exit_code, code) << text;
    return text;
  }

  // Four ranks: rank r sends twice to the next one within the phase "ring" (but rank 3: it sends to 1), and
  // once to rank 0 outside of it.
  // Of the ranks only the first so many come to the phase.
  static void write_trace(std::uint32_t in_phase = 4) {
    TestArchive archive(".", "traces", 4);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      OTF2_EvtWriter* events = archive.events(rank);
      const OTF2_RegionRef phase = archive.region("ring", OTF2_PARADIGM_USER, OTF2_REGION_FLAG_PHASE);
      const auto send = [&](std::uint64_t at, std::uint32_t to) {
        archive.call(rank, at, at + 1, "MPI_Send",
                     [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiSend(w, nullptr, at, to, 0, 0, 8); });
      };
      if (rank < in_phase) OTF2_EvtWriter_Enter(events, nullptr, 10, phase);
      send(20, rank == 3 ? 1 : rank + 1);
      send(30, rank == 3 ? 1 : rank + 1);
      if (rank < in_phase) OTF2_EvtWriter_Leave(events, nullptr, 40, phase);
      if (rank != 0) send(50, 0);
    }
    archive.close();
  }

  const TemporaryWorkingDirectory root_;
};

TEST_F(Hints, ArePrintedAsTablesOfCallSitesPhasesAndTotals) {
  const std::string text = output({"ring"});
  EXPECT_THAT(text, testing::ContainsRegex(
                        "hand.c:10 +exchange +MPI_Isend +static +ring +\\(rank \\+ 1\\) % size\n"));
  EXPECT_THAT(text, HasSubstr("rank - 1  [if 0 < rank]"));
  EXPECT_THAT(text, HasSubstr("params.master  [if rank != 0; params.master is read from a file]"));
  EXPECT_THAT(text,
              testing::ContainsRegex("send +2 +1 +0 +1\n  receive +1 +0 +0 +0\n  collective +1 +0 +0 +0\n"));
  EXPECT_THAT(text, testing::ContainsRegex("ask +hand.c:1 +directive +1 +preload\n"));
  EXPECT_THAT(text, Not(HasSubstr("pattern")));
}

TEST_F(Hints, AreEvaluatedForAJob) {
  const std::string text = output({"ring", "--nodes", "4"});
  EXPECT_THAT(text, HasSubstr("shift 1, 4 connections"));
  EXPECT_THAT(text, HasSubstr("unknown: an inspector computes it"));
  const std::string known = output({"ring", "--nodes", "4", "--value", "params.master=2"});
  EXPECT_THAT(known, HasSubstr("no pattern, 2 connections"));
}

TEST_F(Hints, HaveTheSameContentAsJson) {
  const json one = json::parse(output({"ring", "--ranks", "4", "--json", "-"}));
  EXPECT_EQ(one["ranks"], 4);
  EXPECT_EQ(one["totals"]["send"]["static"], 2);
  EXPECT_EQ(one["totals"]["collective"]["static"], 1);
  const json& unit = one["units"][0];
  EXPECT_EQ(unit["name"], "ring.c");
  EXPECT_EQ(unit["sites"][0]["peer"], "(rank + 1) % size");
  EXPECT_EQ(unit["sites"][0]["pattern"], "shift 1");
  EXPECT_EQ(unit["sites"][1]["guard"], "0 < rank");
  EXPECT_EQ(unit["sites"][3]["class"], "inspected");
  EXPECT_EQ(unit["sites"][3]["unknown"],
            "an inspector computes it in the running program, whose trace has it");
  EXPECT_EQ(unit["phases"][0]["connections"], json::parse("[[0,1],[1,0],[1,2],[2,1],[2,3],[3,0],[3,2]]"));
  EXPECT_EQ(unit["phases"][0]["configurations"], 2);
  EXPECT_EQ(unit["phases"][1]["preload"], true);
}

TEST_F(Hints, ShowConnectionsFromAProfile) {
  EXPECT_THAT(
      output({"ring", "--nodes", "6"}),
      testing::ContainsRegex("seen .* a run of 6 ranks: 2 connections, a run of 8 ranks: 1 connection .* "
                             "no pattern, 2 connections"));
  const json phase = json::parse(output({"ring", "--nodes", "4", "--json", "-"}))["units"][0]["phases"][2];
  EXPECT_EQ(phase["profiles"],
            json::parse(R"([{"ranks": 6, "connections": 2}, {"ranks": 8, "connections": 1}])"));
  EXPECT_TRUE(phase["connections"].empty());
}

TEST_F(Hints, AreComparedWithARun) {
  write_trace();
  const json check = json::parse(output({"ring", "--check", "traces.otf2", "--json", "-"}))["check"];
  EXPECT_EQ(check["ranks"], 4);
  EXPECT_EQ(check["hinted"], 7);
  EXPECT_EQ(check["used"], 7) << "0-1 1-2 2-3 3-1 and 1-0 2-0 3-0";
  ASSERT_EQ(check["phases"].size(), 2u);
  EXPECT_EQ(check["phases"][1]["phase"], "outside phases");
  EXPECT_TRUE(check["phases"][1]["precision"].is_null()) << "of nothing";
  const json& ring = check["phases"][0];
  EXPECT_EQ(ring["phase"], "ring");
  EXPECT_EQ(ring["hinted_and_used"], 3);
  EXPECT_DOUBLE_EQ(ring["precision"], 3.0 / 7);
  EXPECT_DOUBLE_EQ(ring["recall"], 0.75);
  EXPECT_EQ(ring["messages"], 8);
  EXPECT_EQ(ring["messages_over_hinted"], 6);
  EXPECT_DOUBLE_EQ(ring["lead_ns"], 10) << "from the begin of the phase to its first message";
  EXPECT_EQ(check["messages_over_hinted"], 6) << "the others are outside the phase";
  EXPECT_THAT(output({"ring", "--check", "traces.otf2"}),
              testing::ContainsRegex("ring +7 +4 +42.9 % +75.0 % +8 +75.0 %"));
}

// Rank 1 sends in the phase "ask", and the run has no hint for it, though one for another phase.
TEST_F(Hints, AnInspectorThatFoundNothingInTheRunIsNamed) {
  TestArchive archive(".", "traces", 4);
  OTF2_EvtWriter* const events = archive.events(1);
  const auto in_phase = [&](const std::string& name, std::uint64_t at, const auto& body) {
    const OTF2_RegionRef phase = archive.region(name, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_PHASE);
    OTF2_EvtWriter_Enter(events, nullptr, at, phase);
    body();
    OTF2_EvtWriter_Leave(events, nullptr, at + 10, phase);
  };
  in_phase("ring", 0, [&] {
    OTF2_EvtWriter_ParameterUnsignedInt(events, nullptr, 5, archive.parameter(trace_names::kHint), 2);
  });
  in_phase("ask", 20, [&] {
    archive.call(1, 22, 23, "MPI_Send", [](auto* w) { OTF2_EvtWriter_MpiSend(w, nullptr, 22, 0, 0, 0, 8); });
  });
  archive.close();
  EXPECT_THAT(
      output({"ring", "--check", "traces.otf2"}),
      HasSubstr("no hints for ask: line 20: its inspector found no destination when the phase began"));
}

TEST_F(Hints, OfAPhaseThatDidNotBeginAreIgnored) {
  write_trace(2);
  const json check = json::parse(output({"ring", "--check", "traces.otf2", "--json", "-"}))["check"];
  ASSERT_EQ(check["phases"].size(), 2u);
  EXPECT_EQ(check["phases"][0]["hinted"], 3) << "0-1, 1-2 and 1-0";
  EXPECT_EQ(check["phases"][0]["used"], 2);
  EXPECT_EQ(check["hinted"], 3);
}

TEST_F(Hints, RefuseFaultyArguments) {
  std::ofstream("bare", std::ios::binary) << elf_image(ET_EXEC, "");
  EXPECT_THAT(output({"bare"}, 2), HasSubstr("bare: it contains no hints\n  Compile it with hybridcc"));
  EXPECT_THAT(output({"nowhere"}, 2), HasSubstr("nowhere: no such file or directory"));
  EXPECT_THAT(output({"ring", "--nodes=0"}, 2), HasSubstr("--ranks"));
  EXPECT_THAT(output({"ring", "--value", "rows"}, 2), HasSubstr("--value rows: expected NAME=NUMBER"));
  EXPECT_THAT(output({"ring", "--value", "rows=1"}, 2), HasSubstr("They read any, params.master."));
  EXPECT_THAT(output({"ring", "--value", "params.master=1", "--value", "params.master=2"}, 2),
              HasSubstr("given twice"));
  write_trace();
  EXPECT_THAT(output({"ring", "--nodes", "8", "--check", "traces.otf2"}, 2), HasSubstr("has 4 ranks"));
}

}  // namespace
}  // namespace hybrid
