// Advice as text for terminals, at most 120 columns wide, and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "libhybrid/report/advice.h"
#include "libhybrid/report/packet_share.h"

namespace hybrid {

std::string to_text(const Advice& advice, const PortPrices& prices);
nlohmann::ordered_json to_json(const Advice& advice, const PortPrices& prices);

}  // namespace hybrid
