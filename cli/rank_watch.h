// The order in which the ranks of a running job die. A rank keeps its definitions open until it finalizes.
// When a process dies, the kernel closes its files before its parent can learn of the death and kill other
// ranks.
//
//   RankWatch watch("hybrid-my_app-1");
//   const ChildEnd end = run_child(command, false, filter);
//   const std::vector<std::uint32_t> deaths = watch.deaths();
#pragma once

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace hybrid {

class RankWatch {
 public:
  /// `output`: the existing directory in which the job's recording is created. Without inotify, no rank is
  /// watched.
  explicit RankWatch(const std::string& output);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

  /// Ends the watch. Returns the ranks of this host that have ended and did not finalize MPI, in the order of
  /// their ends. Ranks that end while the recording's directory is younger than some milliseconds may be
  /// missing.
  std::vector<std::uint32_t> deaths();

 private:
  void run();
  void read_events();
  void watch_recording();
  void stop();

  std::string recording_;
  int events_ = -1, stop_ = -1;  // of inotify and eventfd
  bool watches_recording_ = false, missed_events_ = false;
  std::vector<std::uint32_t> ends_;
  std::thread thread_;
};

}  // namespace hybrid
