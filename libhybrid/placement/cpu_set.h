// Set of processing units, by the numbers of the operating system. Wraps a bitmap of hwloc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct hwloc_bitmap_s;

namespace hybrid {

class CpuSet {
 public:
  CpuSet();  // empty
  /// Copies a bitmap of hwloc; null gives the empty set.
  explicit CpuSet(const hwloc_bitmap_s* bitmap);
  CpuSet(const CpuSet& other);
  CpuSet(CpuSet&&) noexcept = default;
  CpuSet& operator=(CpuSet other) noexcept;
  ~CpuSet();

  /// Reads hwloc's list form: "0-3,8", or "" for the empty set. Throws UserError, which names `what`.
  static CpuSet parse(std::string_view list, std::string_view what);
  /// The set in hwloc's list form.
  std::string text() const;

  bool empty() const;
  std::uint32_t count() const;
  std::vector<std::uint32_t> members() const;  // ascending
  bool intersects(const CpuSet& other) const;
  bool contains(const CpuSet& other) const;
  CpuSet& operator|=(const CpuSet& other);
  CpuSet& operator-=(const CpuSet& other);
  CpuSet& operator&=(const CpuSet& other);
  bool operator==(const CpuSet& other) const;

  const hwloc_bitmap_s* bitmap() const { return bitmap_.get(); }

 private:
  struct Free {
    void operator()(hwloc_bitmap_s* bitmap) const;
  };
  std::unique_ptr<hwloc_bitmap_s, Free> bitmap_;
};

/// The processing units on which the calling thread may run now. Empty if the operating system does not
/// report them.
CpuSet binding_of_this_thread();
/// Binds the calling thread to `cpus`. False if the operating system refuses.
bool bind_this_thread(const CpuSet& cpus);

}  // namespace hybrid
