// Advice as text for a terminal of `width` columns (tables: up to TextTable::kWide, if it is kTextWidth), and
// as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "libhybrid/report/advice.h"
#include "libhybrid/report/packet_share.h"
#include "libhybrid/report/terminal_text.h"

namespace hybrid {

std::string to_text(const Advice& advice, const PortPrices& prices, std::size_t width = kTextWidth);
nlohmann::ordered_json to_json(const Advice& advice, const PortPrices& prices);

}  // namespace hybrid
