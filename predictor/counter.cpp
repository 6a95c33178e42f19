// Predictor `counter`: the counter-threshold predictor (D 5.2.2). Each held connection has a counter, "reset
// to zero every time that connection is used" and "incremented every time another connection is used. When
// the counter reaches a certain threshold, the connection is evicted".
//
// A send to a destination that is not held requests it. Without sends no connection is released, so that a
// computation phase costs none. If there is no free place, the destination with the highest counter is
// dropped.
#include <array>

#include "predictor/holdings.h"
#include "predictor/predictor.h"

namespace hybrid {
namespace {

class Counter final : public Predictor {
 public:
  explicit Counter(const PredictorShape& shape) : held_("counter", shape) {}

  Decisions on_send(Time, Port destination, Bytes, std::uint64_t) override {
    std::size_t released = 0;
    const auto release = [&](Port d) { released_[released++] = d; };
    held_.count_send();
    if (held_.holds(destination)) {
      held_.renew(destination, held_.top());
      held_.drop_stale(release);
      return {{released_.data(), released}, {}};
    }
    held_.drop_stale(release);
    held_.add(destination, held_.top(), release);
    requested_ = destination;
    return {{released_.data(), released}, {&requested_, 1}};
  }

  void on_flush() override { held_.clear(); }
  bool holds(Port destination) const override { return held_.holds(destination); }
  std::size_t state_bytes() const override { return sizeof(*this) + held_.heap_bytes(); }

 private:
  CountedHoldings held_;
  Port requested_ = kNoPort;
  // Every send renews one destination, so that at most one becomes stale at a time; one more may be dropped
  // for a place.
  std::array<Port, 2> released_{};
};

const PredictorRegistration kCounter{"counter",
                                     "holds a destination until that many sends went elsewhere (D 5.2.2)",
                                     [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                       return std::make_unique<Counter>(shape);
                                     },
                                     {.options = {"predictor-threshold"}}};

}  // namespace
}  // namespace hybrid
