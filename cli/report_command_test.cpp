#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/testing/trace_commands.h"
#include "libhybrid/page/page.h"

namespace hybrid {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ReportCommandLine : public TraceCommands {
 protected:
  void SetUp() override {
    if (!has_page()) GTEST_SKIP() << "this build has no pages";
    unpack("is-16");
    hybrid({"replay", "is-16", "--technique", "tdm", "--slots", "2", "--explain", "off", "--json",
            "result.json"});
    std::ifstream("result.json") >> result_;
  }
  // Writes the result with a change, and makes its page.
  std::string report(const std::function<void(json&)>& change, int code) {
    json changed = result_;
    change(changed);
    std::ofstream("changed.json") << changed;
    std::filesystem::remove("page.html");
    return hybrid({"report", "changed.json", "-o", "page.html"}, code);
  }
  json result_;
};

TEST_F(ReportCommandLine, RefusesWhatIsNoResult) {
  const std::function<void(json&)> changes[] = {
      [](json& r) { r["results"].push_back(3); },     [](json& r) { r["results"][0]["slots"] = "x"; },
      [](json& r) { r["results"][0]["slots"] = -1; }, [](json& r) { r["results"][0].erase("time_ns"); },
      [](json& r) { r["verdict"]["technique"] = 4; }, [](json& r) { r.erase("trace"); },
  };
  for (const auto& change : changes) {
    EXPECT_THAT(report(change, 2), HasSubstr("changed.json: "));
    EXPECT_FALSE(std::filesystem::exists("page.html"));
  }
}

TEST_F(ReportCommandLine, ShowsAResultWhoseTraceCannotBeUsedAndSaysWhy) {
  EXPECT_THAT(report([](json& r) { r["trace"] = "/nowhere"; }, 0), HasSubstr("/nowhere: no such file"));
  EXPECT_THAT(report([](json& r) { r["results"][0]["technique"] = "nosuch"; }, 0), HasSubstr("'nosuch'"));
  EXPECT_THAT(report([](json& r) { r["options"]["slots"] = "many"; }, 0),
              HasSubstr("changed.json: options.slots: "));
  EXPECT_TRUE(std::filesystem::exists("page.html"));
}

TEST_F(ReportCommandLine, UsesATraceThatWasMovedWithTheResult) {
  EXPECT_EQ(report([](json& r) { r["trace"] = "/nowhere/is-16"; }, 0), "");
  std::filesystem::create_directory("moved");
  std::filesystem::rename("is-16", "moved/is-16");
  std::filesystem::rename("result.json", "moved/result.json");
  EXPECT_EQ(hybrid({"report", "moved/result.json", "-o", "moved.html"}), "");
}

TEST_F(ReportCommandLine, OfSeveralRunsShowsTheSpread) {
  EXPECT_THAT(report([](json& r) { r["repeats"] = {{"runs", 2}}; }, 2),
              HasSubstr("changed.json: not the result of several runs"));
  std::filesystem::copy("is-16", "copy", std::filesystem::copy_options::recursive);
  hybrid({"replay", "is-16", "copy", "--json", "several.json"});
  EXPECT_EQ(hybrid({"report", "several.json", "-o", "several.html"}), "");
  std::stringstream page;
  page << std::ifstream("several.html").rdbuf();
  EXPECT_THAT(page.str(), AllOf(HasSubstr("\"shown\":0"), HasSubstr("\"sweep\":{")));
}

TEST_F(ReportCommandLine, TheOptionsOfAResultCannotBeChanged) {
  EXPECT_THAT(hybrid({"report", "result.json", "--slots", "4", "-o", "page.html"}, 2),
              HasSubstr("--slots: result.json is a result"));
  EXPECT_EQ(report([](json&) {}, 0), "");
}

}  // namespace
}  // namespace hybrid
