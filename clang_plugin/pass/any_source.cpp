#include "clang_plugin/pass/any_source.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "clang_plugin/pass/call_table.h"
#include "clang_plugin/pass/directives.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

constexpr int64_t kAnyTag = -1; /* MPICH's MPI_ANY_TAG */

bool may_match(const Note& note, const hybrid_site& receive, const hybrid_site& send) {
  int64_t expected = 0, sent = 0;
  if (note.is_constant(receive.tag, expected) && note.is_constant(send.tag, sent) && expected != kAnyTag &&
      expected != sent)
    return false;
  if (receive.communicator == send.communicator || !note.is_known(send.communicator)) return true;
  /* Two expressions may denote the same communicator, but not if one is MPI_COMM_WORLD. */
  const auto is_world = [&](Node communicator) { return note.nodes[communicator].op == HYBRID_WORLD; };
  return !is_world(receive.communicator) && !is_world(send.communicator);
}

}  // namespace

bool is_send(StringRef symbol) {
  const std::string lower = symbol.lower();
  const StringRef name = lower;
  return (name.starts_with("mpi_") || name.starts_with("pmpi_")) && name.contains("send");
}

bool sends_unseen(const Module& module) {
  for (const Function& function : module) {
    if (!function.isDeclaration() || !is_send(function.getName())) continue;
    bool fortran = false;
    const bool is_site = find_call(function.getName(), fortran) != nullptr;
    for (const User* user : function.users()) {
      const auto* call = dyn_cast<CallBase>(user);
      if (!is_site || !call || call->getCalledFunction() != &function || label(*call, kOff) != HYBRID_NONE)
        return true;
    }
  }
  return false;
}

void settle_any_source(const Note& note, const std::vector<hybrid_site*>& sites) {
  for (hybrid_site* receive : sites) {
    if (receive->kind != HYBRID_RECEIVE || receive->site_class != HYBRID_DYNAMIC ||
        note.strings.c_str() + receive->reason != std::string_view(kAnySource))
      continue;
    uint16_t worst = 0;
    for (const hybrid_site* send : sites)
      if (send->kind == HYBRID_SEND && may_match(note, *receive, *send))
        worst = std::max(worst, send->site_class);
    if (worst == 0 || worst == HYBRID_DYNAMIC) continue;
    receive->site_class = worst;
    receive->reason = HYBRID_NONE;
  }
}

}  // namespace hybrid::pass
