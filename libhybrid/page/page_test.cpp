#include "libhybrid/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"

namespace hybrid {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHostile = "</script><script>alert(1)</script>\"'&<!--\xff";

class Page : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_page()) {
      EXPECT_THROW((void)page_html({{"source", "x"}}), UserError);
      GTEST_SKIP() << "this build has no pages";
    }
  }
};

// What follows `begin`, up to `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

TEST_F(Page, ContainsItsDataAndEverythingElse) {
  const std::string html = page_html({{"source", "a job"}, {"traffic", {{"ranks", 3}}}});
  const Json data = Json::parse(between(html, "id=\"data\">", "</script>"));
  EXPECT_EQ(data["traffic"]["ranks"], 3);
  EXPECT_TRUE(data["glossary"].contains("working set"));
  EXPECT_THAT(html, HasSubstr("<title>a job on a hybrid switch</title>"));
  EXPECT_THAT(html, Not(HasSubstr("{{"))) << "a place of the template is not filled";
  for (const char* reference : {" src=", "<link", "@import", "url("})
    EXPECT_THAT(html.substr(0, html.find("id=\"data\"")), Not(HasSubstr(reference)));
  EXPECT_LT(html.size(), 1'200'000u);
}

TEST_F(Page, NamesCannotBecomeMarkup) {
  const Json report{{"job", {{"recorded", {{"application", kHostile}}}}}};
  const std::string html = page_html({{"source", kHostile}, {"report", report}});
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html,
              HasSubstr("<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;'&amp;&lt;!--"));
  const Json data = Json::parse(between(html, "id=\"data\">", "</script>"));
  EXPECT_THAT(data["source"].get<std::string>(), HasSubstr("</script><script>alert(1)"));
}

}  // namespace
}  // namespace hybrid
