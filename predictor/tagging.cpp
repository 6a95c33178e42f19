// Predictor `tagging`: Afsahi's tagging predictor (D 2.1.2): "Each tag is associated with a communication
// pattern. Once a tag is executed, a certain communication pattern is predicted."
//
// The tag is the site of on_send(): from the compiler, or of the MPI call. A section of the program is a run
// of sends with one tag. When a section begins, the destinations that followed the last begin of a section
// with this tag are expected again, also beyond its end. A single destination that differs is skipped,
// because it may change every time; after two in a row nothing is expected until the next section.
//
// Weak on: programs in which all sends have the same tag, so that no second section begins.
//
// State: 8 KiB of log, 8 KiB of tags.
#include <algorithm>
#include <array>
#include <cstdint>

#include "predictor/forecast_predictor.h"
#include "predictor/predictor.h"
#include "predictor/send_log.h"

namespace hybrid {
namespace {

class Tagging final : public Forecaster {
 public:
  void learn(Port destination, std::uint8_t, std::uint64_t site) override {
    if (!is_in_section_ || site != site_) begin_section(site);
    if (is_following_) {
      const bool is_right = log_.has(source_) && log_[source_] == destination;
      wrong_ = is_right ? 0 : wrong_ + 1;
      run_ = is_right ? std::min(run_ + 1, 127u) : 0;
      ++source_;
      if (wrong_ == 2) is_following_ = false;
    }
    log_.push(destination);
  }

  std::size_t expect(std::span<Expected> out) override {
    std::size_t count = 0;
    for (std::uint32_t source = source_; is_following_ && count < out.size() && log_.has(source); ++source) {
      out[count] = {log_[source], static_cast<std::uint8_t>(128 + run_),
                    static_cast<std::uint8_t>(count + 1)};
      ++count;
    }
    return count;
  }

  void forget_position() override { is_in_section_ = is_following_ = false; }
  std::size_t state_bytes() const override { return sizeof(*this); }

 private:
  static constexpr std::size_t kTags = 1024;
  struct Section {
    std::uint32_t tag = 0;
    std::uint32_t begin = 0;  // 1 + the number of the first send; 0: none
  };

  void begin_section(std::uint64_t site) {
    is_in_section_ = true;
    site_ = site;
    const std::uint64_t hash = (site + 1) * 0x9E3779B97F4A7C15ULL;
    Section& section = sections_[hash >> 54];
    const auto tag = static_cast<std::uint32_t>(hash >> 22);
    is_following_ = section.begin != 0 && section.tag == tag && log_.has(section.begin - 1);
    source_ = section.begin - 1;
    wrong_ = 0;
    section = {tag, log_.count() + 1};
  }

  SendLog log_;
  std::array<Section, kTags> sections_{};
  std::uint64_t site_ = 0;
  bool is_in_section_ = false, is_following_ = false;
  std::uint32_t source_ = 0;  // the next send is expected to equal send source_
  std::uint32_t wrong_ = 0, run_ = 0;
};

const PredictorRegistration kTagging{"tagging",
                                     "expects the destinations after the last use of the call site (D 2.1.2)",
                                     [](const PredictorShape& shape) -> std::unique_ptr<Predictor> {
                                       return std::make_unique<ForecastPredictor>(
                                           "tagging", shape, std::make_unique<Tagging>());
                                     },
                                     {.options = forecast_options()}};

}  // namespace
}  // namespace hybrid
