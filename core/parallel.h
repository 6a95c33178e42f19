// run_parallel: independent pieces of work on several threads.
//
//   std::vector<Measures> results(runs.size());
//   run_parallel(runs.size(), processors(), [&](std::size_t i) { results[i] = emulate(runs[i]); });
#pragma once

#include <cstddef>
#include <functional>

namespace hybrid {

/// The number of processors, at least 1.
unsigned processors();

/// Calls work(0) ... work(count - 1), each once, on at most `threads` threads, one of which is the caller's;
/// 0 counts as 1. A thread takes the lowest index that is left, so that one thread works in order. Returns
/// after all calls have ended; then rethrows the exception of the lowest index that threw. `work` must accept
/// concurrent calls if `threads` is more than 1.
void run_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace hybrid
