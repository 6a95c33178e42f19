#include "libhybrid/page/page.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/error.h"
#include "libhybrid/page/glossary.h"

// page_files.c
#define HYBRID_PAGE_FILE(name) extern "C" const char hybrid_page_##name[], hybrid_page_##name##_end[]
HYBRID_PAGE_FILE(html);
HYBRID_PAGE_FILE(css);
HYBRID_PAGE_FILE(script);
HYBRID_PAGE_FILE(echarts);
HYBRID_PAGE_FILE(script_csp);
HYBRID_PAGE_FILE(style_csp);
#define HYBRID_EMBEDDED(name)                                                                   \
  std::string_view {                                                                            \
    hybrid_page_##name, static_cast<std::size_t>(hybrid_page_##name##_end - hybrid_page_##name) \
  }

namespace hybrid {

namespace {

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += c;
    }
  return html;
}

// As the content of a script element: '<' would end it or begin a comment.
std::string script_data(const nlohmann::ordered_json& data) {
  const std::string json = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

std::string title_of(const nlohmann::ordered_json& data) {
  const nlohmann::json::json_pointer application("/report/job/recorded/application");
  return data.contains(application) && data[application].is_string() ? data[application].get<std::string>()
                                                                     : data.value("source", "job");
}

}  // namespace

bool has_page() { return !HYBRID_EMBEDDED(html).empty(); }

std::string page_html(nlohmann::ordered_json data) {
  if (!has_page())
    throw UserError("this build of libhybrid has no HTML pages: ECharts could not be downloaded for it",
                    "Configure it again with a network, or with -DHYBRID_ECHARTS=DIR.");
  const std::string title = escaped(title_of(data));
  data["glossary"] = nlohmann::ordered_json::parse(glossary_json());
  const std::string values = script_data(data);
  std::string html;
  html.reserve(values.size() + HYBRID_EMBEDDED(echarts).size() + (1u << 16));
  std::string_view rest = HYBRID_EMBEDDED(html);
  while (true) {
    const std::size_t open = rest.find("{{");
    html += rest.substr(0, open);
    if (open == std::string_view::npos) return html;
    const std::size_t close = rest.find("}}", open);
    const std::string_view name = rest.substr(open + 2, close - open - 2);
    if (name == "title") html += title;
    if (name == "scripts") html += HYBRID_EMBEDDED(script_csp);
    if (name == "styles") html += HYBRID_EMBEDDED(style_csp);
    if (name == "css") html += HYBRID_EMBEDDED(css);
    if (name == "data") html += values;
    if (name == "echarts") html += HYBRID_EMBEDDED(echarts);
    if (name == "script") html += HYBRID_EMBEDDED(script);
    rest.remove_prefix(close + 2);
  }
}

}  // namespace hybrid
