/* Which loops that communicate are phases of their own. A loop is one if what it sends differs from what is
 * sent around it: phases are where the working set changes. Of a procedure, or of a loop that is a phase, the
 * sends fall into groups: each loop directly in it, and what is in none of these. Where one group has all the
 * connections, the groups are one phase; otherwise each loop is a phase. A loop is one, too, if its calls are
 * known when it begins and not when what is around it does, or if nothing around it in its function is. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_PHASE_CHOICE_H
#define HYBRID_CLANG_PLUGIN_PASS_PHASE_CHOICE_H

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
  /* Loops are known by their numbers in `phases`, which outlives this. */
  explicit PhaseChoice(const std::vector<DirectivePhase>& phases);

  /* A call of `function`, in these loops of it, the innermost first. Of a point-to-point call: is it known
   * when each of these begins, and last, when the function does? */
  void add_call(const std::string& function, const std::vector<uint32_t>& loops,
                const std::vector<bool>& known);
  /* A send, told apart from others by `what`, in `function` and in these loops of any function. */
  void add_send(const std::string& function, const std::string& what, const std::set<uint32_t>& loops);

  /* The loops that are phases. */
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
  /* Is a call in `loop` known when that begins, but not when `around` does? */
  bool is_known_from(uint32_t loop, uint32_t around) const;

  const std::vector<DirectivePhase>& phases_;
  std::map<uint32_t, Group> loops_;
  std::map<std::string, Group> functions_;
  std::map<std::string, std::vector<PlacedCall>> calls_; /* by function */
  std::set<uint32_t> chosen_;
};

/* What a site communicates: equal for sites that make the same connections. */
std::string communication_of(const Note& note, const hybrid_site& site);

}  // namespace hybrid::pass

#endif
