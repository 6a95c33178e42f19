// A set of processing units by the operating system's numbers, as hwloc has them.
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
  /// A copy of hwloc's bitmap.
  explicit CpuSet(const hwloc_bitmap_s* bitmap);
  CpuSet(const CpuSet& other);
  CpuSet(CpuSet&&) noexcept = default;
  CpuSet& operator=(CpuSet other) noexcept;
  ~CpuSet();

  /// Reads hwloc's list form: "0-3,8", "" for the empty set. Throws UserError, naming `what`.
  static CpuSet parse(std::string_view list, std::string_view what);
  /// The list form.
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

/// Where the calling thread may run now, as the operating system says. Empty when it does not say.
CpuSet binding_of_this_thread();
/// Lets the calling thread run on `cpus` only; false when the operating system refuses.
bool bind_this_thread(const CpuSet& cpus);

}  // namespace hybrid
