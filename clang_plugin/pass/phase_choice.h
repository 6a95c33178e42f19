/* Selects the loops that are phases. A loop is a phase if its sends differ from those around it, because a
 * phase begins where the working set changes. The sends of a procedure, or of a loop that is a phase, form
 * groups: one for each loop directly in it, and one for the rest. If one group has all connections, the
 * groups are one phase; otherwise each loop is a phase. A loop is also a phase if its calls are known when it
 * begins, but not when the phase around it begins, or if no phase is around it in its function. */
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "clang_plugin/pass/directives.h"
#include "clang_plugin/pass/note.h"

namespace hybrid::pass {

class PhaseChoice {
 public:
  /* Loops are identified by their index in `phases`, which must outlive this object. */
  explicit PhaseChoice(const std::vector<DirectivePhase>& phases);

  /* Adds a call of `function`, in these loops of it, the innermost first. `known`, for point-to-point calls:
   * whether the call is known when each of these loops begins, and last, when the function begins. */
  void add_call(const std::string& function, const std::vector<uint32_t>& loops,
                const std::vector<bool>& known);
  /* Adds a send, identified by `what`, in `function` and in these loops of any function. */
  void add_send(const std::string& function, const std::string& what, const std::set<uint32_t>& loops);

  /* Returns the loops that are phases. */
  std::set<uint32_t> choose();

 private:
  using Sends = std::set<std::string>;
  struct Group {
    std::vector<uint32_t> loops; /* directly in it */
    Sends all, own;              /* own: in none of `loops` */
  };
  struct PlacedCall {
    std::vector<uint32_t> loops;
    std::vector<bool> known;
  };
  void choose_in(const Group& group, uint32_t around);
  /* Whether a call in `loop` is known when the loop begins, but not when `around` begins. */
  bool is_known_from(uint32_t loop, uint32_t around) const;

  const std::vector<DirectivePhase>& phases_;
  std::map<uint32_t, Group> loops_;
  std::map<std::string, Group> functions_;
  std::map<std::string, std::vector<PlacedCall>> calls_; /* by function */
  std::set<uint32_t> chosen_;
};

/* Returns a text that is equal for sites with the same connections. */
std::string communication_of(const Note& note, const hybrid_site& site);

}  // namespace hybrid::pass
