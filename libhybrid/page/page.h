// The page of a job: one HTML file that shows a report and the traffic of its trace. It needs no other file
// and no network. Names out of a trace are data: they are never parsed as markup, and the page's content
// security policy allows no script but its own.
//
//   write(page_html({{"source", path}, {"report", to_json(report)}, {"traffic", traffic_json(open,
//   options)}}));
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hybrid {

/// Whether the build contains the page (ECharts was there when it was configured).
bool has_page();

/// `data`: source (path, for people), and optionally report (to_json(JobReport)) and traffic
/// (job_traffic.h). Parts that are absent are named on the page. About 1.1 MB plus the data.
/// Throws UserError without has_page().
std::string page_html(nlohmann::ordered_json data);

}  // namespace hybrid
