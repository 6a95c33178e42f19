// Runs ranks as threads of one process, with the collective operations that LiveJob::start needs, without
// MPI.
#pragma once

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "libhybrid/live/host_messages.h"
#include "libhybrid/live/live_job.h"

namespace hybrid {

/// Shared by all ranks of a job.
class Exchanges {
 public:
  explicit Exchanges(std::vector<std::uint32_t> host_of_rank)
      : host_of_rank_(std::move(host_of_rank)),
        barrier_(static_cast<std::ptrdiff_t>(host_of_rank_.size())),
        said_(host_of_rank_.size()),
        bytes_(host_of_rank_.size()) {}

  void wait() { barrier_.arrive_and_wait(); }

  void broadcast_on_host(std::uint32_t rank, std::span<std::byte> data) {
    if (first_of(rank) == rank) bytes_[rank].assign(data.begin(), data.end());
    wait();
    std::copy(bytes_[first_of(rank)].begin(), bytes_[first_of(rank)].end(), data.begin());
    wait();
  }
  bool all_in_job(std::uint32_t rank, bool mine) {
    said_[rank] = mine ? 1 : 0;
    wait();
    const bool all = std::find(said_.begin(), said_.end(), 0) == said_.end();
    wait();
    return all;
  }

 private:
  std::uint32_t first_of(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(
        std::find(host_of_rank_.begin(), host_of_rank_.end(), host_of_rank_[rank]) - host_of_rank_.begin());
  }
  std::vector<std::uint32_t> host_of_rank_;
  std::barrier<> barrier_;
  std::vector<int> said_;
  std::vector<std::vector<std::byte>> bytes_;
};

class ThreadExchange final : public LiveExchange {
 public:
  ThreadExchange(Exchanges& all, std::uint32_t rank) : all_(all), rank_(rank) {}
  void broadcast_on_host(std::span<std::byte> data) override { all_.broadcast_on_host(rank_, data); }
  bool all_in_job(bool mine) override { return all_.all_in_job(rank_, mine); }

 private:
  Exchanges& all_;
  std::uint32_t rank_;
};

/// Links between the hosts of one process.
class Loopback {
 public:
  explicit Loopback(std::uint32_t hosts) {
    for (std::uint32_t h = 0; h < hosts; ++h) ends_.push_back(std::make_unique<End>(*this));
  }
  HostLink* end(std::uint32_t host) { return ends_[host].get(); }

 private:
  class End final : public HostLink {
   public:
    explicit End(Loopback& all) : all_(all) {}
    bool send(std::uint32_t host, std::span<const std::byte> message) override {
      End& to = *all_.ends_[host];
      const std::lock_guard lock(to.mutex_);
      if (to.arrived_.size() >= 16) return false;
      to.arrived_.emplace_back(message.begin(), message.end());
      return true;
    }
    std::size_t receive(std::span<std::byte> buffer) override {
      const std::lock_guard lock(mutex_);
      if (arrived_.empty()) return 0;
      const std::size_t length = arrived_.front().size();
      std::copy(arrived_.front().begin(), arrived_.front().end(), buffer.begin());
      arrived_.pop_front();
      return length;
    }

   private:
    Loopback& all_;
    std::mutex mutex_;
    std::deque<std::vector<std::byte>> arrived_;
  };
  std::vector<std::unique_ptr<End>> ends_;
};

/// Runs `body(rank)` in a thread for each rank.
template <class Body>
void run_ranks(std::uint32_t ranks, Body body) {
  std::vector<std::thread> threads;
  threads.reserve(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) threads.emplace_back(body, rank);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace hybrid
