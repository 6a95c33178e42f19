#include "cli/rank_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/temporary_directory.h"
#include "libhybrid/recording/definitions.h"
#include "libhybrid/report/job_output.h"

namespace hybrid {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A job whose ranks have open definitions.
class RankWatchTest : public testing::Test {
 protected:
  void make_recording() { std::filesystem::create_directory(recording_); }
  void start() {
    ranks_.push_back(std::make_unique<DefinitionWriter>(
        definitions_path(recording_, static_cast<std::uint32_t>(ranks_.size()))));
    ranks_.back()->property("ranks", "4");
  }
  void die(std::size_t rank) { ranks_[rank].reset(); }
  void finalize(std::size_t rank) {
    ranks_[rank]->property(kFinalized, "yes");
    die(rank);
  }

  const TemporaryDirectory directory_;
  const std::string output_ = directory_.path(), recording_ = recording_directory(output_);
  std::vector<std::unique_ptr<DefinitionWriter>> ranks_;
};

TEST_F(RankWatchTest, RanksAreInTheOrderOfTheirDeaths) {
  make_recording();
  RankWatch watch(output_);
  for (int i = 0; i < 5; ++i) start();
  finalize(1);
  for (const std::size_t rank : {2, 0, 4}) die(rank);
  EXPECT_THAT(watch.deaths(), ElementsAre(2, 0, 4)) << "1 has finalized, 3 runs";
}

TEST_F(RankWatchTest, AJobWithoutARecordingHasNoDeaths) {
  EXPECT_THAT(RankWatch(output_).deaths(), IsEmpty());
}

}  // namespace
}  // namespace hybrid
