// Timelines of every technique, read back: spans of a track do not overlap, the words add up, and the
// measures are the same as without a timeline.
#include "emulator/timeline_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "core/temporary_directory.h"
#include "emulator/replay/testing/jobs.h"
#include "emulator/switching/testing/random_switch.h"
#include "emulator/traffic/command_run.h"
#include "emulator/traffic/simulate.h"

namespace hybrid {
namespace {

class TimelineFiles : public testing::Test {
 protected:
  nlohmann::json read() {
    std::ifstream file(path_);
    auto json = nlohmann::json::parse(file);
    std::filesystem::remove(path_);
    return json;
  }
  const TemporaryDirectory directory_;
  const std::string& folder_ = directory_.path();
  const std::string path_ = directory_ / "timeline.json";
};

class Timelines : public TimelineFiles, public testing::WithParamInterface<std::string> {};

/// Microseconds to picoseconds.
std::int64_t ps(const nlohmann::json& us) { return static_cast<std::int64_t>(us.get<double>() * 1e6 + 0.5); }

TEST_P(Timelines, SpansOfATrackNeverOverlapAndTheWordsAddUp) {
  Random random(5);  // any seed
  for (int round = 0; round < 10; ++round) {
    SwitchParameters p = random_parameters(random, GetParam());
    p.preload = 0;
    TrafficOptions o;
    o.pattern = "uniform";
    o.messages = 1 + random.below(20);
    o.message = random.below(100);
    const Measures without = simulate(p, o);
    TimelineFile timeline(path_, p.nodes);
    const Measures m = simulate(p, o, {}, &timeline);
    timeline.finish();
    EXPECT_EQ(m.time, without.time);
    EXPECT_EQ(m.latency.mean(), without.latency.mean());

    const nlohmann::json events = read().at("traceEvents");
    std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> tracks;
    std::map<std::int64_t, std::int64_t> circuit_words, link_words, out_words, generated;  // by message
    std::map<std::int64_t, int> waits;
    for (const auto& e : events) {
      if (e.at("ph") == "b") ++waits[e.at("id").get<std::int64_t>()];
      if (e.at("ph") == "e") --waits[e.at("id").get<std::int64_t>()];
      if (e.at("ph") != "X") continue;
      const int process = e.at("pid"), thread = e.at("tid");
      const std::string name = e.at("name");
      const std::int64_t from = ps(e.at("ts")), until = from + ps(e.at("dur"));
      EXPECT_GE(until, from);
      if (name == "guard, reconfiguration") continue;  // inside its slot
      tracks[{process, thread}].push_back({from, until});
      if (process == 0) continue;
      const std::int64_t message = e.at("args").at("message");
      if (thread == 1) ++generated[message];
      if (thread > 1 && thread % 2 == 0) link_words[message] += e.at("args").at("words").get<std::int64_t>();
      if (thread > 1 && thread % 2 == 1) out_words[message] += e.at("args").at("words").get<std::int64_t>();
      if (thread > 1 && thread % 2 == 0 && name.starts_with("circuit"))
        circuit_words[message] += e.at("args").at("words").get<std::int64_t>();
    }
    for (auto& [track, spans] : tracks) {
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 1; i < spans.size(); ++i)
        ASSERT_LE(spans[i - 1].second, spans[i].first)
            << "process " << track.first << ", thread " << track.second;
    }
    for (const auto& [id, open] : waits) EXPECT_EQ(open, 0);
    // Every message is generated once, and each of its words is on a link and out of the fabric once.
    const std::int64_t payload =
        std::max<std::int64_t>(1, static_cast<std::int64_t>((o.message + p.word - 1) / p.word));
    const auto worm_words = static_cast<std::int64_t>(std::max<Bytes>(1, p.worm_limit / p.word));
    const std::int64_t as_worms =
        payload + (payload + worm_words - 1) / worm_words * static_cast<std::int64_t>(p.worm_overhead_words);
    ASSERT_EQ(generated.size(), m.messages);
    EXPECT_EQ(link_words, out_words);
    for (const auto& [message, words] : link_words)
      EXPECT_EQ(words, circuit_words.contains(message) ? payload : as_worms);
    // The links' payload time is the utilisation, where words are full.
    if (o.message % p.word == 0 && o.message > 0) {
      const double busy =
          static_cast<double>(m.messages) * static_cast<double>(payload) * p.word_time().seconds();
      EXPECT_NEAR(busy / (m.time.seconds() * p.nodes), m.utilisation, 0.01 * m.utilisation);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Technique, Timelines,
                         testing::Values("wormhole", "circuit", "tdm", "hybrid", "wave", "coll", "chen-liu"));

using Span = std::tuple<std::string, std::int64_t, std::int64_t>;

/// The spans on the tracks of both ports for PE 0's commands, by begin in ns. The name of a span starts with
/// the track's name.
std::vector<Span> spans_of(const std::string& technique, const std::string& commands,
                           const std::string& path) {
  SwitchParameters p;
  p.technique = technique;
  p.nodes = 2;
  std::vector<CommandFile> files(2);
  files[0] = {"0", parse_commands(commands, "0", 0, 2)};
  TimelineFile timeline(path, 2);
  run_commands(p, files, {}, {.timeline = &timeline});
  timeline.finish();
  std::ifstream file(path);
  const nlohmann::json events = nlohmann::json::parse(file).at("traceEvents");
  std::map<std::pair<int, int>, std::string> tracks;
  std::vector<Span> spans;
  for (const auto& e : events) {
    const std::pair<int, int> track{e.at("pid"), e.at("tid")};
    if (e.at("ph") == "M" && e.at("name") == "thread_name") tracks[track] = e.at("args").at("name");
  }
  for (const auto& e : events) {
    const std::pair<int, int> track{e.at("pid"), e.at("tid")};
    const std::string name = e.at("name");
    if (e.at("ph") == "X")
      spans.push_back({tracks.at(track) + ": " + name, ps(e.at("ts")) / 1000, ps(e.at("dur")) / 1000});
    if (e.at("ph") == "b") spans.push_back({"requests", ps(e.at("ts")) / 1000, 0});
    if (e.at("ph") == "e") spans.push_back({"granted", ps(e.at("ts")) / 1000, 0});
  }
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return std::get<1>(a) != std::get<1>(b) ? std::get<1>(a) < std::get<1>(b) : a < b;
  });
  return spans;
}

// ch5, a word from 0 to 1 (docs/timing.md): on the link 20 to 30, requests 100, granted 240, out of the
// fabric 250 to 260.
TEST_F(TimelineFiles, OneWordThroughTheWormholeSwitch) {
  EXPECT_EQ(spans_of("wormhole", "send 1 8", path_), (std::vector<Span>{{"PE: to 1", 0, 10},
                                                                        {"link out: worm to 1", 20, 10},
                                                                        {"requests", 100, 0},
                                                                        {"granted", 240, 0},
                                                                        {"in: worm from 0", 250, 10}}));
}

// The same on split links (docs/timing.md has the long message, too): 64 words of 20 ns each, starting at the
// grant, out of the fabric 50 later. Short messages use the other half as worms.
TEST_F(TimelineFiles, ALongMessageOnSplitLinks) {
  const std::pair<std::string, std::int64_t> grants[] = {{"wave", 320}, {"coll", 370}, {"chen-liu", 510}};
  for (const auto& [technique, grant] : grants) {
    EXPECT_EQ(spans_of(technique, "send 1 512", path_),
              (std::vector<Span>{{"PE: to 1", 0, 640},
                                 {"requests", 10, 0},
                                 {"granted", grant, 0},
                                 {"link out, circuits 1: circuit to 1", grant, 1280},
                                 {"in, circuits 1: circuit from 0", grant + 50, 1280}}))
        << technique;
    std::filesystem::remove(path_);
    EXPECT_EQ(spans_of(technique, "send 1 8", path_), (std::vector<Span>{{"PE: to 1", 0, 10},
                                                                         {"link out: worm to 1", 20, 20},
                                                                         {"requests", 100, 0},
                                                                         {"granted", 240, 0},
                                                                         {"in: worm from 0", 250, 20}}))
        << technique;
    std::filesystem::remove(path_);
  }
  // Wave keeps its circuit: 8 bytes at 2000 use it without a further request.
  const auto spans = spans_of("wave", "send 1 512\nwait 2us\nsend 1 8\n", path_);
  ASSERT_EQ(spans.size(), 8u);
  EXPECT_EQ(spans[5], (Span{"PE: to 1", 2000, 10}));
  EXPECT_EQ(spans[6], (Span{"link out, circuits 1: circuit to 1", 2020, 20}));
  EXPECT_EQ(spans[7], (Span{"in, circuits 1: circuit from 0", 2070, 20}));
}

/// A slice: process and thread by name, its name, begin and end in ns.
using NamedSlice = std::tuple<std::string, std::string, std::string, std::int64_t, std::int64_t>;

std::vector<NamedSlice> slices_of_json(const nlohmann::json& events) {
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> threads;
  std::vector<NamedSlice> slices;
  std::map<std::int64_t, std::int64_t> begun;
  for (const auto& e : events) {
    const int process = e.at("pid"), thread = e.at("tid");
    const std::string name = e.at("name"), kind = e.at("ph");
    if (kind == "M" && name == "process_name") processes[process] = e.at("args").at("name");
    if (kind == "M" && name == "thread_name") threads[{process, thread}] = e.at("args").at("name");
    if (kind == "b") begun[e.at("id")] = ps(e.at("ts"));
    if (kind == "e")
      slices.emplace_back(processes.at(process), "requests", name, begun.at(e.at("id")) / 1000,
                          ps(e.at("ts")) / 1000);
    if (kind == "X")
      slices.emplace_back(processes.at(process), threads.at({process, thread}), name, ps(e.at("ts")) / 1000,
                          (ps(e.at("ts")) + ps(e.at("dur"))) / 1000);
  }
  std::sort(slices.begin(), slices.end());
  return slices;
}

/// As Perfetto reads it: packets by time, in the order of the file if the times are equal, and an end ends
/// the innermost slice of its track.
std::vector<NamedSlice> slices_of_protobuf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  struct Track {
    std::uint64_t parent = 0;
    std::string name, process;
  };
  struct Event {
    std::uint64_t at = 0, track = 0;
    std::size_t position = 0;
    std::string name;
    bool begins = false;
  };
  std::map<std::uint64_t, Track> tracks;
  std::map<std::uint64_t, std::string> names;  // interned names of events
  std::vector<Event> events;
  bool first = true;
  protozero::pbf_reader trace(bytes);
  while (trace.next(1)) {
    protozero::pbf_reader packet = trace.get_message();
    Event event;
    bool is_event = false;
    while (packet.next()) {
      if (packet.tag() == 8) {
        event.at = packet.get_uint64();
      } else if (packet.tag() == 10) {
        EXPECT_NE(packet.get_uint32(), 0u);
      } else if (packet.tag() == 13) {
        // The first packet clears the state of the sequence.
        EXPECT_EQ(packet.get_uint32(), first ? 3u : 2u);
        first = false;
      } else if (packet.tag() == 12) {
        protozero::pbf_reader data = packet.get_message();
        while (data.next(2)) {
          protozero::pbf_reader entry = data.get_message();
          std::uint64_t number = 0;
          std::string name;
          while (entry.next())
            if (entry.tag() == 1)
              number = entry.get_uint64();
            else
              name = entry.get_string();
          EXPECT_TRUE(names.emplace(number, name).second);
        }
      } else if (packet.tag() == 60) {
        std::uint64_t uuid = 0;
        Track track;
        protozero::pbf_reader descriptor = packet.get_message();
        while (descriptor.next()) {
          if (descriptor.tag() == 1) {
            uuid = descriptor.get_uint64();
          } else if (descriptor.tag() == 2) {
            track.name = descriptor.get_string();
          } else if (descriptor.tag() == 5) {
            track.parent = descriptor.get_uint64();
          } else if (descriptor.tag() == 3) {
            protozero::pbf_reader process = descriptor.get_message();
            while (process.next(6)) track.process = process.get_string();
          }
        }
        EXPECT_NE(uuid, 0u);
        EXPECT_TRUE(tracks.emplace(uuid, track).second);
      } else {
        EXPECT_EQ(packet.tag(), 11u);
        is_event = true;
        protozero::pbf_reader body = packet.get_message();
        while (body.next()) {
          if (body.tag() == 9)
            event.begins = body.get_enum() == 1;
          else if (body.tag() == 11)
            event.track = body.get_uint64();
          else if (body.tag() == 10)
            event.name = names.at(body.get_uint64());
          else
            body.skip();
        }
      }
    }
    event.position = events.size();
    if (is_event) events.push_back(event);
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.position < b.position;
  });
  std::map<std::uint64_t, std::vector<Event>> open;
  std::vector<NamedSlice> slices;
  for (const Event& event : events) {
    std::vector<Event>& stack = open[event.track];
    if (event.begins) {
      stack.push_back(event);
      continue;
    }
    if (stack.empty()) {
      ADD_FAILURE() << "an end without a begin";
      return {};
    }
    const Track& track = tracks.at(event.track);
    slices.emplace_back(tracks.at(track.parent).process, track.name, stack.back().name, stack.back().at,
                        event.at);
    stack.pop_back();
  }
  for (const auto& [track, stack] : open) EXPECT_TRUE(stack.empty());
  std::sort(slices.begin(), slices.end());
  return slices;
}

TEST_P(Timelines, ProtobufHasTheSlicesOfTheJson) {
  Random random(8);  // any seed
  for (int round = 0; round < 4; ++round) {
    SwitchParameters p = random_parameters(random, GetParam());
    p.preload = 0;
    TrafficOptions o;
    o.pattern = "uniform";
    o.messages = 1 + random.below(20);
    o.message = random.below(300);
    TimelineFile json(path_, p.nodes);
    simulate(p, o, {}, &json);
    json.finish();
    const std::string packed = directory_ / "timeline.pftrace";
    TimelineFile protobuf(packed, p.nodes);
    simulate(p, o, {}, &protobuf);
    protobuf.finish();
    EXPECT_EQ(slices_of_protobuf(packed), slices_of_json(read().at("traceEvents")));
    std::filesystem::remove(packed);
  }
}

TEST_F(TimelineFiles, OfAReplayShowWhatTheRanksDo) {
  SwitchParameters p;
  p.technique = "wormhole";
  TimelineFile timeline(path_, 2);
  ReplayOptions options;
  options.timeline = &timeline;
  MemoryTrace plain(2);
  plain.add(0, make(Operation::Kind::send, 1, 800, nanoseconds(50)));
  plain.add(0, finish(nanoseconds(70)));
  plain.add(1, make(Operation::Kind::recv, 0, 800));
  plain.add(1, finish());
  const ReplayResult result = replay(plain, p, options);
  timeline.finish();
  std::vector<std::string> seen;
  std::int64_t end = 0;
  for (const auto& [process, thread, name, from, until] : slices_of_json(read().at("traceEvents"))) {
    if (!process.starts_with("rank")) continue;
    seen.push_back(process + ", " + thread + ": " + name);
    end = std::max(end, until);
  }
  EXPECT_EQ(seen,
            (std::vector<std::string>{"rank 0, thread 0: computes", "rank 0, thread 0: computes",
                                      "rank 0, thread 0: send to 1", "rank 1, thread 1: receive from 0"}));
  EXPECT_EQ(end, result.measures.time.ps / 1000);
}

TEST_F(TimelineFiles, KeepsAnExistingFileAndLeavesNoneAfterAFailure) {
  std::ofstream(path_) << "mine";
  EXPECT_THROW(TimelineFile(path_, 2), UserError);
  EXPECT_THROW(TimelineFile(folder_ + "/no/such", 2), UserError);
  std::filesystem::remove(path_);
  {
    const TimelineFile unfinished(path_, 2);
    EXPECT_FALSE(std::filesystem::exists(path_)) << "an interrupted run must not leave it";
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace hybrid
