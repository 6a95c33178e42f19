// What a process's requests under way are, shared by its threads: one may complete what another started.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

namespace hybrid {

template <typename Request>
class OpenRequests {
 public:
  /// A request in the whole process: the thread that started it, and the number in that thread's journal.
  static constexpr std::uint64_t id(std::uint32_t thread, std::uint32_t number) {
    return std::uint64_t{thread} << 32 | number;
  }

  /// Replaces one of the same id that was never completed (MPI_Request_free).
  void open(std::uint64_t id, const Request& request) { requests_.insert_or_assign(id, request); }

  /// The request that the journal of `thread` calls `number`: its own, else another thread's (threads are
  /// numbered below `threads`). nullopt: none is open.
  std::optional<std::uint64_t> find(std::uint32_t thread, std::uint32_t number, std::uint32_t threads) const {
    if (requests_.contains(id(thread, number))) return id(thread, number);
    for (std::uint32_t other = 0; other < threads; ++other)
      if (requests_.contains(id(other, number))) return id(other, number);
    return std::nullopt;
  }
  const Request& at(std::uint64_t id) const { return requests_.at(id); }

  /// Ends the request that `find` gives.
  std::optional<std::pair<std::uint64_t, Request>> close(std::uint32_t thread, std::uint32_t number,
                                                         std::uint32_t threads) {
    const auto found = find(thread, number, threads);
    if (!found) return std::nullopt;
    const auto entry = requests_.find(*found);
    std::pair<std::uint64_t, Request> result = *entry;
    requests_.erase(entry);
    return result;
  }

 private:
  std::unordered_map<std::uint64_t, Request> requests_;
};

}  // namespace hybrid
