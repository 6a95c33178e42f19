/* Values that are read while the program runs: is what a procedure finds when it begins, or a loop or a
 * directive's phase, which is when hints are asked for, what its call will find? */
#ifndef HYBRID_CLANG_PLUGIN_PASS_RUN_TIME_READS_H
#define HYBRID_CLANG_PLUGIN_PASS_RUN_TIME_READS_H

#include <map>
#include <set>
#include <string>
#include <vector>

#include "clang_plugin/pass/flow.h"
#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/symbolic.h"

namespace hybrid::pass {

class RunTimeReads {
 public:
  RunTimeReads(const Prepared& prepared, const Note& note, Symbolic& symbolic)
      : calls_(prepared.calls), note_(note), symbolic_(symbolic), flow_(*prepared.module) {}

  /* From here on it is about values behind which are these reads. */
  void of(std::set<const llvm::Instruction*> reads) { reads_ = std::move(reads); }
  /* Why what the values read may not be the same when the phase begins as it is for `call`; empty if it is.
   * The phase is what `begin` begins, or the call's procedure if that is null. */
  std::string changed(const std::vector<Node>& values, const llvm::CallBase& call, const SiteOrigin& origin,
                      const llvm::Instruction* begin);
  /* Is what the loop's first test reads written before that, in the loop? Then nothing says it beforehand. */
  bool writes_before_first_test(uint32_t loop);
  /* Why the loop's first test may read something else than there is when the phase begins; empty if it does
   * not. As for `changed`. */
  std::string changed_before_first_test(uint32_t loop, const llvm::CallBase& call, const SiteOrigin& origin,
                                        const llvm::Instruction* begin);
  /* May the function be called while it runs? */
  bool runs_within_itself(const std::string& function);
  /* May what `value` reads be changed on a way from `begin` to `end`? */
  bool may_change(Node value, const llvm::Instruction& begin, const llvm::Instruction& end);

 private:
  std::string changed_since(const llvm::Instruction& begin, Node node, const Symbolic::RunTimeValue& value,
                            const llvm::CallBase& call);
  std::string changed_outside_turns(const std::vector<Node>& values, const llvm::CallBase& call,
                                    const SiteOrigin& origin, const llvm::Instruction* begin);
  /* Of the loops that the values are turned by, or left by: why what their turns read is not the same in all
   * of them; empty if it is. It is read once. */
  std::string changes_in_turns(const std::vector<Node>& values);
  /* The functions that run while this one does, by name. */
  const std::set<std::string>& reached_from(const std::string& function);
  std::string name(Node load) const {
    const uint32_t text = note_.nodes[load].b;
    return text == HYBRID_NONE ? "a variable" : note_.strings.c_str() + text;
  }

  const std::map<std::string, std::set<std::string>>& calls_;
  const Note& note_;
  Symbolic& symbolic_;
  Flow flow_;
  std::set<const llvm::Instruction*> reads_;
  std::map<std::string, std::set<std::string>> reached_;
};

}  // namespace hybrid::pass

#endif
