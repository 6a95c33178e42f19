#include "libhybrid/page/page_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "emulator/replay/testing/jobs.h"
#include "libhybrid/report/job_report.h"
#include "libhybrid/report/report_json.h"

namespace hybrid {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

std::unique_ptr<JobTrace> job() {
  auto trace = std::make_unique<MemoryTrace>(4);
  random_job(*trace, 3);
  return trace;
}

Json page(const JobOptions& options, bool sweep) {
  JobEmulator emulator("job", job, options);
  Json report = to_json(make_report(emulator, {}));
  Json data = page_data("job", std::move(report), emulator, {});
  EXPECT_TRUE(sweep_is_short(emulator));
  if (sweep) add_sweep(data, emulator, {});
  return data;
}

TEST(PageData, HasTheActivityOfTheHybridResult) {
  const Json data = page({}, false);
  EXPECT_EQ(data["activity"]["technique"], "hybrid");
  EXPECT_EQ(data["activity"]["ports"], 4);
  EXPECT_FALSE(data["activity"]["circuits"].empty());
  EXPECT_FALSE(data["traffic"]["cells"].empty());
  EXPECT_FALSE(data.contains("sweep"));
  for (const auto& [name, value] : data["report"]["parameters"].items())
    EXPECT_FALSE(data["meanings"].value(name, "").empty()) << name;

  JobOptions wormhole;
  wormhole.techniques = {"wormhole"};
  const Json without = page(wormhole, false);
  EXPECT_EQ(without["activity"]["technique"], "wormhole");
  EXPECT_EQ(without["activity"]["slots"], 0);
  EXPECT_EQ(without["activity"]["circuits"], Json::array());

  JobOptions bound;
  bound.techniques = {"ideal"};
  EXPECT_FALSE(page(bound, false).contains("activity"));
}

TEST(PageData, OfALongJobTheFirstPartIsObserved) {
  JobEmulator emulator("job", job, {});
  const Json report = to_json(make_report(emulator, {}));
  const std::uint64_t operations = emulator.opener()()->events().all;
  const auto activity = [&](std::uint64_t observed_operations) {
    return page_data("job", report, emulator, {}, {.observed_operations = observed_operations})["activity"];
  };
  const auto circuits = [](const Json& activity, double end) {
    std::vector<std::vector<double>> begun;  // slot, source, destination, of circuits that begin before `end`
    const double width = activity["bins"]["width_ns"];
    for (const Json& c : activity["circuits"])
      if (c[2].get<double>() * width < end) begun.push_back({c[0], c[1], c[4]});
    std::ranges::sort(begun);
    begun.erase(std::unique(begun.begin(), begun.end()), begun.end());
    return begun;
  };
  const Json whole = activity(operations), half = activity(operations / 2);
  const auto length = [](const Json& a) {
    return a["bins"]["count"].get<double>() * a["bins"]["width_ns"].get<double>();
  };
  EXPECT_EQ(half["job_time_ns"], whole["job_time_ns"]);
  EXPECT_NEAR(length(half), length(whole) / 2, length(whole) / 100);
  EXPECT_FALSE(half["circuits"].empty());
  EXPECT_THAT(circuits(whole, length(half)), testing::IsSupersetOf(circuits(half, length(half) * 0.9)));
}

TEST(PageData, ASweepContainsTheResultItself) {
  JobOptions options;
  options.slot_counts = {2};
  const Json data = page(options, true);
  const auto time = [&](const std::string& technique) {
    for (const Json& result : data["report"]["results"])
      if (result["technique"] == technique) return result["time_ns"].get<double>();
    return 0.0;
  };
  const Json& sweep = data["sweep"];
  for (const std::string technique : {"circuit", "tdm", "hybrid"}) {
    const Json& times = sweep["reconfiguration"]["techniques"][technique];
    ASSERT_EQ(times.size(), sweep["reconfiguration"]["times_ns"].size());
    EXPECT_EQ(times[0], time(technique)) << technique;
  }
  EXPECT_EQ(sweep["packet_plane"]["reconfiguration_ns"], 10000.0);
  EXPECT_EQ(sweep["packet_plane"]["time_ns"][0], sweep["reconfiguration"]["techniques"]["hybrid"][4]);
  bool found = false;
  for (const Json& one : sweep["predictors"]) {
    EXPECT_NE(one["predictor"], "oracle");
    EXPECT_EQ(one["time_ns"].is_null(), one["predictor"] == "belady");
    if (one["predictor"] == "tournament") {
      EXPECT_EQ(one["time_ns"], time("hybrid"));
      found = true;
    }
  }
  EXPECT_TRUE(found);
}

TEST(PageData, ASweepLeavesOutWhatNoSwitchCanDo) {
  JobOptions options;
  options.techniques = {"tdm"};
  options.network.allocation = "none";  // all slots must be longer than the reconfiguration
  const Json times = page(options, true)["sweep"]["reconfiguration"]["techniques"]["tdm"];
  EXPECT_TRUE(times[0].is_number());
  EXPECT_TRUE(times[times.size() - 1].is_null());
}

TEST(PageData, OfSeveralRunsShowsTheOneWithTheMedianJobTime) {
  const auto run = [](double wormhole) {
    return Json{
        {"results",
         {{{"technique", "tdm"}, {"time_ns", 1.0}}, {{"technique", "wormhole"}, {"time_ns", wormhole}}}}};
  };
  const Json result{{"runs", {run(30), run(10), run(20), run(25)}}, {"repeats", {{"reference", "wormhole"}}}};
  EXPECT_EQ(report_of_result(result), run(20));
  Json data = Json::object();
  add_repeats(data, result);
  EXPECT_EQ(data["repeats"]["shown"], 2);
  EXPECT_EQ(report_of_result(run(1)), run(1));
  Json one = Json::object();
  add_repeats(one, run(1));
  EXPECT_TRUE(one.empty());
}

TEST(PageData, AResultHasTheOptionsThatMadeIt) {
  JobOptions options;
  options.network.slot_length = nanoseconds(200);
  options.slot_counts = {2, 3};
  options.replay.placement = {0, 0, 1, 2};
  options.replay.algorithms = {{"bcast", "binomial"}};
  options.techniques = {"tdm"};
  JobEmulator emulator("job", job, options);
  const Json report = to_json(make_report(emulator, {}));
  const JobOptions read = options_of_result(report, "result.json");
  EXPECT_EQ(read.network.slot_length, nanoseconds(200));
  EXPECT_EQ(read.slot_counts, options.slot_counts);
  EXPECT_EQ(read.replay.placement, options.replay.placement);
  EXPECT_EQ(read.replay.algorithms, options.replay.algorithms);
  EXPECT_EQ(read.techniques, options.techniques);

  EXPECT_EQ(options_of_result(Json::object(), "old.json").network.slots, JobOptions{}.network.slots);
  for (const char* options_key : {R"({"options": {"slots": 4}})", R"({"options": {"slots": "many"}})",
                                  R"({"options": {"no-such-option": "1"}})"}) {
    try {
      (void)options_of_result(Json::parse(options_key), "bad.json");
      ADD_FAILURE() << options_key;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), HasSubstr("bad.json: options."));
    }
  }
}

}  // namespace
}  // namespace hybrid
