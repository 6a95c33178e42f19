#include "libhybrid/placement/cpu_set.h"

#include <hwloc/bitmap.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "core/error.h"

namespace hybrid {

namespace {

hwloc_bitmap_t checked(hwloc_bitmap_t bitmap) {
  if (bitmap == nullptr) throw std::bad_alloc();
  return bitmap;
}

// More bits than any machine has processing units. The kernel accepts masks that are larger than needed.
constexpr std::size_t kMaskBits = 1 << 16;

struct FreeMask {
  void operator()(cpu_set_t* mask) const { CPU_FREE(mask); }
};
using Mask = std::unique_ptr<cpu_set_t, FreeMask>;
Mask empty_mask() {
  Mask mask(CPU_ALLOC(kMaskBits));
  if (mask == nullptr) throw std::bad_alloc();
  CPU_ZERO_S(CPU_ALLOC_SIZE(kMaskBits), mask.get());
  return mask;
}

}  // namespace

void CpuSet::Free::operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }

CpuSet::CpuSet() : bitmap_(checked(hwloc_bitmap_alloc())) {}
CpuSet::CpuSet(const hwloc_bitmap_s* bitmap)
    : bitmap_(checked(bitmap == nullptr ? hwloc_bitmap_alloc() : hwloc_bitmap_dup(bitmap))) {}
CpuSet::CpuSet(const CpuSet& other) : CpuSet(other.bitmap()) {}
CpuSet& CpuSet::operator=(CpuSet other) noexcept {
  bitmap_.swap(other.bitmap_);
  return *this;
}
CpuSet::~CpuSet() = default;

CpuSet CpuSet::parse(std::string_view list, std::string_view what) {
  const auto bad = [&] {
    return UserError(std::string(what) + ": '" + std::string(list) + "' is not a list of processing units",
                     "Write numbers and ranges with commas, such as 0-3,8.");
  };
  CpuSet set;
  if (list.empty()) return set;
  if (list.find_first_not_of("0123456789,-") != std::string_view::npos) throw bad();
  if (hwloc_bitmap_list_sscanf(set.bitmap_.get(), std::string(list).c_str()) != 0) throw bad();
  return set;
}

std::string CpuSet::text() const {
  char* raw = nullptr;
  if (hwloc_bitmap_list_asprintf(&raw, bitmap_.get()) < 0) throw std::bad_alloc();
  const std::unique_ptr<char, decltype(&std::free)> owned(raw, &std::free);
  return raw;
}

bool CpuSet::empty() const { return hwloc_bitmap_iszero(bitmap_.get()) != 0; }
std::uint32_t CpuSet::count() const {
  return static_cast<std::uint32_t>(std::max(0, hwloc_bitmap_weight(bitmap_.get())));
}
std::vector<std::uint32_t> CpuSet::members() const {
  std::vector<std::uint32_t> found;
  for (int i = hwloc_bitmap_first(bitmap_.get()); i >= 0; i = hwloc_bitmap_next(bitmap_.get(), i))
    found.push_back(static_cast<std::uint32_t>(i));
  return found;
}
bool CpuSet::intersects(const CpuSet& other) const {
  return hwloc_bitmap_intersects(bitmap_.get(), other.bitmap_.get()) != 0;
}
bool CpuSet::contains(const CpuSet& other) const {
  return hwloc_bitmap_isincluded(other.bitmap_.get(), bitmap_.get()) != 0;
}
CpuSet& CpuSet::operator|=(const CpuSet& other) {
  hwloc_bitmap_or(bitmap_.get(), bitmap_.get(), other.bitmap_.get());
  return *this;
}
CpuSet& CpuSet::operator-=(const CpuSet& other) {
  hwloc_bitmap_andnot(bitmap_.get(), bitmap_.get(), other.bitmap_.get());
  return *this;
}
CpuSet& CpuSet::operator&=(const CpuSet& other) {
  hwloc_bitmap_and(bitmap_.get(), bitmap_.get(), other.bitmap_.get());
  return *this;
}
bool CpuSet::operator==(const CpuSet& other) const {
  return hwloc_bitmap_isequal(bitmap_.get(), other.bitmap_.get()) != 0;
}

CpuSet binding_of_this_thread() {
  const Mask mask = empty_mask();
  CpuSet set;
  if (sched_getaffinity(0, CPU_ALLOC_SIZE(kMaskBits), mask.get()) != 0) return set;
  std::string list;
  for (std::size_t i = 0; i < kMaskBits; ++i)
    if (CPU_ISSET_S(i, CPU_ALLOC_SIZE(kMaskBits), mask.get()))
      list += (list.empty() ? "" : ",") + std::to_string(i);
  return CpuSet::parse(list, "CPU affinity");
}

bool bind_this_thread(const CpuSet& cpus) {
  const Mask mask = empty_mask();
  for (const std::uint32_t cpu : cpus.members())
    if (cpu < kMaskBits) CPU_SET_S(cpu, CPU_ALLOC_SIZE(kMaskBits), mask.get());
  return pthread_setaffinity_np(pthread_self(), CPU_ALLOC_SIZE(kMaskBits), mask.get()) == 0;
}

}  // namespace hybrid
