// Predictor `lru`, least recently used: holds the last `capacity` destinations. It requests nothing ahead,
// and releases a destination only when its place is needed. Not part of the dissertation: a baseline that
// every predictor should reach.
#include "predictor/predictor.h"
#include "predictor/recency_list.h"

namespace hybrid {
namespace {

class Lru final : public Predictor {
 public:
  explicit Lru(const PredictorShape& shape) : held_(shape.destinations), capacity_(most_held(shape)) {}

  Decisions on_send(Time, Port destination, Bytes, std::uint64_t) override {
    if (held_.contains(destination)) {
      held_.renew(destination, held_.top());
      return {};
    }
    std::size_t released = 0;
    if (held_.size() == capacity_) {
      released_ = held_.oldest();
      held_.erase(released_);
      released = 1;
    }
    held_.insert(destination, held_.top());
    requested_ = destination;
    return {{&released_, released}, {&requested_, 1}};
  }

  void on_flush() override { held_.clear(); }
  bool holds(Port destination) const override { return held_.contains(destination); }
  std::size_t state_bytes() const override { return sizeof(*this) + held_.heap_bytes(); }

 private:
  RecencyList held_;
  std::uint32_t capacity_;
  Port requested_ = kNoPort, released_ = kNoPort;
};

const PredictorRegistration kLru{
    "lru", "holds the last used destinations until their places are needed",
    [](const PredictorShape& shape) -> std::unique_ptr<Predictor> { return std::make_unique<Lru>(shape); }};

}  // namespace
}  // namespace hybrid
