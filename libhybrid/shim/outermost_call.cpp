#include "libhybrid/shim/outermost_call.h"

namespace hybrid::shim::detail {

constinit thread_local std::uintptr_t outermost_frame = 0;
constinit thread_local std::uintptr_t call_site = 0;

}  // namespace hybrid::shim::detail
