// Predictor `none`: requests nothing. A switch without circuit requests.
#include "predictor/predictor.h"

namespace hybrid {
namespace {

class None final : public Predictor {
 public:
  Decisions on_send(Time, Port, Bytes, std::uint64_t) override { return {}; }
  void on_flush() override {}
  bool holds(Port) const override { return false; }
  std::size_t state_bytes() const override { return sizeof(*this); }
};

const PredictorRegistration kNone{
    "none", "requests nothing",
    [](const PredictorShape&) -> std::unique_ptr<Predictor> { return std::make_unique<None>(); }};

}  // namespace
}  // namespace hybrid
