/* Values that are read at run time. Hints are evaluated when a procedure, a loop or a directive's phase
 * begins: this class checks whether the values at that time are those at the call. */
#pragma once

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

  /* Sets the reads that the values of the following queries depend on. */
  void of(std::set<const llvm::Instruction*> reads) { reads_ = std::move(reads); }
  /* Returns why the values may differ between the begin of the phase and `call`; empty if they do not. The
   * phase is that of `begin`, or the call's procedure if that is null. */
  std::string changed(const std::vector<Node>& values, const llvm::CallBase& call, const SiteOrigin& origin,
                      const llvm::Instruction* begin);
  /* Whether the loop writes values before its first test reads them. Then they are not known beforehand. */
  bool writes_before_first_test(uint32_t loop);
  /* Returns why the loop's first test may read other values than those at the begin of the phase; empty if it
   * does not. Parameters as for changed(). */
  std::string changed_before_first_test(uint32_t loop, const llvm::CallBase& call, const SiteOrigin& origin,
                                        const llvm::Instruction* begin);
  /* Whether the function may be called while it runs. */
  bool runs_within_itself(const std::string& function);
  /* Whether values that `value` reads may change on a path from `begin` to `end`. */
  bool may_change(Node value, const llvm::Instruction& begin, const llvm::Instruction& end);

 private:
  std::string changed_since(const llvm::Instruction& begin, Node node, const Symbolic::RunTimeValue& value,
                            const llvm::CallBase& call);
  std::string changed_outside_turns(const std::vector<Node>& values, const llvm::CallBase& call,
                                    const SiteOrigin& origin, const llvm::Instruction* begin);
  /* For the loops that the values depend on: returns why values that the iterations read differ between
   * iterations; empty if they do not. Hints read them once. */
  std::string changes_in_turns(const std::vector<Node>& values);
  /* The functions that may run while this one runs, by name. */
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
