// L figure 7, line by line, with vectors of bool: the reference for tests and benchmarks of `level-wise`. m =
// w, as in the paper.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/connection.h"
#include "emulator/topology/fat_tree.h"

namespace hybrid {

class LevelWiseReference {
 public:
  explicit LevelWiseReference(const FatTreeShape& shape) : l_(shape.levels), w_(shape.up) {}

  /// Precondition: no two requests share a source or a destination.
  std::size_t schedule(std::span<const Connection> requests, std::span<TreePath> paths) {
    std::size_t switches = 1;
    for (std::size_t h = 0; h + 1 < l_; ++h) switches *= w_;
    Links Ulink(l_, std::vector<std::vector<bool>>(switches, std::vector<bool>(w_, true)));
    Links Dlink = Ulink;

    struct Pair {
      std::vector<std::size_t> s, d;  // digits of sigma_0 and delta_0
      std::vector<std::size_t> P;
      std::size_t H = 0;  // the level of the common ancestor
      bool failed = false;
    };
    std::vector<Pair> pairs(requests.size());
    std::size_t granted = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      Pair& pair = pairs[i];
      pair.s = digits(requests[i].source / w_);
      pair.d = digits(requests[i].destination / w_);
      for (std::size_t h = 0; h < pair.s.size(); ++h)
        if (pair.s[h] != pair.d[h]) pair.H = h + 1;
    }

    for (std::size_t h = 0; h + 1 < l_; ++h) {
      for (Pair& pair : pairs) {
        if (h >= pair.H || pair.failed) continue;
        const std::size_t sigma = number(pair.s, pair.P, h), delta = number(pair.d, pair.P, h);
        std::vector<bool> avail_links(w_);
        bool any = false;
        for (std::size_t i = 0; i < w_; ++i) {
          avail_links[i] = Ulink[h][sigma][i] && Dlink[h][delta][i];
          any = any || avail_links[i];
        }
        if (!any) {
          pair.failed = true;
          continue;
        }
        std::size_t i = 0;
        while (!avail_links[i]) ++i;
        pair.P.push_back(i);
        Ulink[h][sigma][i] = false;
        Dlink[h][delta][i] = false;
      }
    }

    for (std::size_t i = 0; i < pairs.size(); ++i) {
      paths[i] = {};
      paths[i].granted = !pairs[i].failed;
      paths[i].turn = static_cast<std::uint8_t>(pairs[i].P.size());
      for (std::size_t h = 0; h < pairs[i].P.size(); ++h)
        paths[i].up[h] = static_cast<std::uint16_t>(pairs[i].P[h]);
      granted += paths[i].granted;
    }
    return granted;
  }

 private:
  using Links = std::vector<std::vector<std::vector<bool>>>;  // [h][tau][i]

  std::vector<std::size_t> digits(std::size_t tau) const {
    std::vector<std::size_t> t;
    for (std::size_t i = 0; i + 1 < l_; ++i, tau /= w_) t.push_back(tau % w_);
    return t;
  }
  /// t_(l-2) ... t_h P_0 ... P_(h-1)
  std::size_t number(const std::vector<std::size_t>& t, const std::vector<std::size_t>& P,
                     std::size_t h) const {
    std::size_t tau = 0;
    for (std::size_t i = t.size(); i-- > h;) tau = tau * w_ + t[i];
    for (std::size_t i = 0; i < h; ++i) tau = tau * w_ + P[i];
    return tau;
  }

  std::size_t l_, w_;
};

}  // namespace hybrid
