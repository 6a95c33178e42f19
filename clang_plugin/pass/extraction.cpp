#include "clang_plugin/pass/extraction.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <cstring>

#include "clang_plugin/pass/any_source.h"
#include "clang_plugin/pass/own_variables.h"
#include "clang_plugin/pass/preparation.h"
#include "clang_plugin/pass/run_time_reads.h"
#include "clang_plugin/pass/site_copies.h"
#include "clang_plugin/pass/symbolic.h"
#include "clang_plugin/pass/values.h"

namespace hybrid::pass {

using namespace llvm;

namespace {

/* Replaces -1 and -2 as the value of a peer by MPI_PROC_NULL and MPI_ANY_SOURCE. */
Node named_peer(Note& note, Node peer) {
  int64_t value = 0;
  if (note.is_constant(peer, value)) {
    if (value == -1) return note.make(HYBRID_PROC_NULL);
    if (value == -2) return note.make(HYBRID_ANY_SOURCE);
    return peer;
  }
  const hybrid_node n = note.nodes[peer];
  if (n.op != HYBRID_SELECT) return peer;
  const Node yes = named_peer(note, n.b), no = named_peer(note, n.c);
  return note.make(HYBRID_SELECT, n.a, yes, no);
}

class Extractor {
 public:
  Extractor(Prepared& prepared, const WholeProgram* whole, bool sends_unseen,
            const std::vector<DirectivePhase>& directives,
            const std::function<bool(const std::string&)>& can_be_named, Remarks remarks)
      : prepared_(prepared),
        directives_(directives),
        whole_(whole),
        sends_unseen_(sends_unseen),
        remarks_(remarks),
        symbolic_(*prepared.module, result_.note, whole,
                  [&](const GlobalVariable& global) { return can_be_named(global.getName().str()); }),
        reads_(prepared, result_.note, symbolic_),
        copies_(prepared, directives, result_.note, symbolic_, reads_) {}

  Extraction run() {
    for (const DirectivePhase& directive : directives_) begin_phase(directive);
    for (Function& function : *prepared_.module)
      for (const Instruction& instruction : instructions(function))
        if (const auto* call = dyn_cast<CallBase>(&instruction))
          if (const Function* callee = call->getCalledFunction()) {
            if (callee->getName() == kSite) site(*call);
            if (callee->getName() == kClause) clause(*call);
          }
    settle();
    for (uint32_t i = 0; i < directives_.size(); ++i) clauses(i);
    for (const GlobalVariable* global : symbolic_.addresses())
      result_.addresses.push_back(global->getName().str());
    result_.may_improve = !symbolic_.requested_locals().empty() && may_improve();
    if (!whole_) own_variables();
    return std::move(result_);
  }

 private:
  void site(const CallBase& call) {
    const auto number = cast<ConstantInt>(call.getArgOperand(0))->getZExtValue();
    const SiteOrigin& origin = prepared_.origins[number];
    SiteCopy copy{{}, number, &call};
    for (uint32_t at = origin.directive; at != HYBRID_NONE && directives_[at].is_loop;
         at = directives_[at].parent)
      copy.phases.push_back(as_of(at, call, origin));
    if (origin.directive == HYBRID_NONE || directives_[origin.directive].is_loop)
      copy.phases.push_back(as_of(HYBRID_NONE, call, origin));
    else
      copy.phases.push_back(as_of(origin.directive, call, origin));
    copies_.add(std::move(copy));
  }

  /* Returns the site relative to that phase of Directives; HYBRID_NONE: relative to its procedure. */
  SiteOfPhase as_of(uint32_t directive, const CallBase& call, const SiteOrigin& origin) {
    Note& note = result_.note;
    SiteOfPhase result;
    hybrid_site& site = result.site = {};
    site.call = note.string(origin.call->name);
    site.kind = static_cast<uint16_t>(origin.part->kind);
    site.phase = directive == HYBRID_NONE ? phase(origin.function, call) : directive;
    if (const DILocation* at = call.getDebugLoc()) {
      site.file = note.string(at->getFilename());
      site.line = at->getLine();
      site.column = at->getColumn();
    }
    site.function = note.string(readable_name(symbol(origin.function)));
    symbolic_.take_reads();
    const Symbolic::Guard guard =
        directive == HYBRID_NONE ? symbolic_.guard(call, origin.function) : symbolic_.guard(call, directive);
    begin_ = guard.begin;
    result.begin = guard.mark;
    mark_ = directive == HYBRID_NONE ? nullptr : guard.mark;
    site.communicator = symbolic_.communicator(call.getArgOperand(5));
    const auto argument = [&](unsigned at, int position) {
      return position < 0 ? HYBRID_NONE : symbolic_.value(call.getArgOperand(at));
    };
    site.peer = argument(3, origin.part->peer);
    if (site.peer != HYBRID_NONE) site.peer = named_peer(note, site.peer);
    site.tag = known_or_none(argument(4, origin.part->tag));
    site.count = known_or_none(argument(1, origin.part->count));
    site.type_size = origin.part->type < 0 ? HYBRID_NONE : symbolic_.datatype_size(call.getArgOperand(2));
    site.reason = HYBRID_NONE;
    site.loop = symbolic_.loop_around(*call.getParent());
    reads_.of(symbolic_.take_reads());
    for (uint32_t loop = site.loop; loop != HYBRID_NONE; loop = note.loops[loop].parent)
      if (reads_.writes_before_first_test(loop)) note.loops[loop].condition = HYBRID_NONE;
    SiteOfPhase of_no_interest;
    /* Either all members call a collective or none. Its connections depend only on its communicator and its
     * root. */
    site.guard =
        note.both(readable_part(guard.outer, call, origin, result),
                  site.kind == HYBRID_COLLECTIVE ? readable_part(guard.inner, call, origin, of_no_interest)
                                                 : guard.inner);
    classify(site, call, origin);
    return result;
  }

  void settle() {
    Note& note = result_.note;
    copies_.settle(result_.procedures);
    const std::vector<hybrid_site*> sites = copies_.sites();
    if (all_senders_are_seen()) settle_any_source(note, sites);
    for (size_t i = 0; i < sites.size(); ++i) {
      const hybrid_site& site = *sites[i];
      if (remarks_ == Remarks::on && site.site_class == HYBRID_DYNAMIC)
        remark(copies_.call(i), note.strings.c_str() + site.call, note.strings.c_str() + site.reason);
      if (std::none_of(note.sites.begin(), note.sites.end(), [&](const hybrid_site& other) {
            return std::memcmp(&other, &site, sizeof site) == 0;
          }))
        note.sites.push_back(site);
    }
  }

  /* Whether no linked code without hints sends, or passes a function that sends. */
  bool all_senders_are_seen() const {
    return whole_ && !sends_unseen_ && std::none_of(whole_->outside.begin(), whole_->outside.end(), is_send);
  }

  /* Of a conjunction: the conditions that are known, and have the same value, when the procedure begins. */
  Node readable_part(Node all, const CallBase& call, const SiteOrigin& origin, SiteOfPhase& of) {
    Note& note = result_.note;
    if (all == HYBRID_NONE) return all;
    if (note.nodes[all].op == HYBRID_AND) {
      const hybrid_node n = note.nodes[all];
      const Node a = readable_part(n.a, call, origin, of);
      return note.both(a, readable_part(n.b, call, origin, of));
    }
    /* Every path to the phase passes through this condition, so it need not be tested. Elsewhere, a local has
     * no valid value. */
    const bool is_readable = note.is_known(all) && !symbolic_.reads_local(all) &&
                             reads_.changed({all}, call, origin, mark_).empty() && endless(all).empty();
    if (!is_readable || note.has_load(all)) (is_readable ? of.read : of.left_out).insert(all);
    return is_readable ? all : HYBRID_NONE;
  }

  /* -Rpass-missed=hybrid: why a call could not be analysed, and what would help. */
  static void remark(const CallBase& call, StringRef name, StringRef why) {
    OptimizationRemarkMissed remark("hybrid", "Communication", DiagnosticLocation(call.getDebugLoc()),
                                    call.getParent());
    remark << name << " could not be analysed: " << why;
    if (why.contains("argument of"))
      remark << "; linking with hybridcc, hybridcxx or hybridfort analyses the whole program";
    else if (why.contains("any source"))
      remark << "; if there is only one possible source, name it";
    else
      remark << "; '#pragma hybrid phase(...) connections(...)' can declare it";
    call.getContext().diagnose(remark);
  }

  Node known_or_none(Node node) { return result_.note.is_known(node) ? node : HYBRID_NONE; }

  void classify(hybrid_site& site, const CallBase& call, const SiteOrigin& origin) {
    Note& note = result_.note;
    const std::string why = not_known(site, call, origin);
    site.site_class = HYBRID_STATIC;
    if (!why.empty()) {
      site.site_class = HYBRID_DYNAMIC;
      site.reason = note.string(why);
    } else if (note.has_load(site.peer) || note.has_load(site.communicator) ||
               (site.kind != HYBRID_COLLECTIVE && (note.has_load(site.guard) || loops_read(site)))) {
      site.site_class = HYBRID_ANALYSABLE;
    }
  }

  /* Whether a loop's condition reads variables. Loops around the begin of the phase have been entered, which
   * is enough if nothing else depends on their iterations. */
  bool loops_read(const hybrid_site& site) const {
    const Note& note = result_.note;
    for (uint32_t loop = site.loop; loop != HYBRID_NONE; loop = note.loops[loop].parent)
      if (note.has_load(note.loops[loop].condition) && (!is_entered(loop) || note.turns_matter(loop, site)))
        return true;
    return false;
  }

  /* Why the site is dynamic; empty if it is not. */
  std::string not_known(const hybrid_site& site, const CallBase& call, const SiteOrigin& origin) {
    const Note& note = result_.note;
    if (!note.is_known(site.communicator)) return note.reason(site.communicator);
    if (!note.is_known(site.peer)) return "the peer: " + note.reason(site.peer);
    if (!note.is_known(site.guard)) return "whether the call is made: " + note.reason(site.guard);
    if (origin.call->sizes_are_data) return "the sizes are known only at run time";
    std::vector<Node> starts{site.communicator, site.peer, site.guard};
    for (Node node : starts)
      if (std::string why = endless(node); !why.empty()) return why;
    for (uint32_t loop = site.loop; loop != HYBRID_NONE; loop = note.loops[loop].parent)
      if (note.turns_matter(loop, site)) {
        starts.push_back(note.loops[loop].condition);
      } else if (!is_entered(loop)) {
        /* Only whether it is entered matters. */
        if (std::string why = reads_.changed_before_first_test(loop, call, origin, mark_); !why.empty())
          return why;
      }
    if (std::string why = reads_.changed(starts, call, origin, mark_); !why.empty()) return why;
    return site.peer != HYBRID_NONE && note.contains(site.peer, HYBRID_ANY_SOURCE) ? kAnySource : "";
  }

  /* Whether there is a first iteration, independent of what the loop's condition reads. */
  bool is_entered(uint32_t loop) const {
    return symbolic_.is_around(loop, *begin_) || result_.note.always_turns(loop);
  }

  /* Why the number of iterations that the value depends on is unknown; empty if it is known, or there are
   * none. */
  std::string endless(Node value) const {
    const Note& note = result_.note;
    for (Node node : note.parts(value)) {
      const auto number = static_cast<uint32_t>(note.nodes[node].value_low);
      const uint32_t op = note.nodes[node].op;
      if (op != HYBRID_VARIABLE && !is_loop_result(op)) continue;
      const uint32_t loop = op == HYBRID_VARIABLE ? note.variable_loop[number] : number;
      if (note.loops[loop].condition == HYBRID_NONE) return "it depends on a loop with an unknown end";
    }
    return "";
  }

  uint32_t phase(const std::string& function, const CallBase& call) {
    Note& note = result_.note;
    const auto found = result_.procedures.find(function);
    if (found != result_.procedures.end()) return found->second;
    hybrid_phase phase{};
    phase.name = note.string(readable_name(symbol(function)));
    if (const DILocation* at = call.getDebugLoc())
      if (const DISubprogram* where = at->getScope()->getSubprogram()) {
        phase.file = note.string(where->getFilename());
        phase.line = where->getLine();
      }
    phase.kind = HYBRID_PHASE_PROCEDURE;
    return result_.procedures[function] = add(phase, origin(function));
  }

  PhaseOrigin origin(const std::string& function) const {
    if (!whole_) return {};
    const auto found = whole_->phases.find(function);
    return found == whole_->phases.end() ? PhaseOrigin() : found->second;
  }
  /* The function's symbol in its unit. */
  std::string symbol(const std::string& function) const {
    const std::string own = origin(function).symbol;
    return own.empty() ? function : own;
  }

  uint32_t add(hybrid_phase& phase, const PhaseOrigin& origin) {
    phase.condition = phase.dimensions = phase.connections = phase.profile = HYBRID_NONE;
    phase.origin_phase = origin.phase;
    phase.origin_low = origin.id_low;
    phase.origin_high = origin.id_high;
    if (phase.kind == HYBRID_PHASE_PROCEDURE) phase.parent = phase.pattern = HYBRID_NONE;
    result_.note.phases.push_back(phase);
    return static_cast<uint32_t>(result_.note.phases.size() - 1);
  }

  void begin_phase(const DirectivePhase& directive) {
    Note& note = result_.note;
    hybrid_phase phase{};
    phase.name = note.string(directive.name);
    phase.file = note.string(directive.file);
    phase.line = directive.line;
    phase.kind = directive.is_loop ? HYBRID_PHASE_LOOP : HYBRID_PHASE_DIRECTIVE;
    phase.flags = static_cast<uint16_t>(directive.flags);
    phase.parent = directive.parent;
    phase.slots = directive.slots;
    phase.pattern = directive.pattern.empty() ? HYBRID_NONE : note.string(directive.pattern);
    add(phase, directive.origin);
  }

  /* Adds a clause of a directive. A clause occurs once for each inlined copy of its function. */
  void clause(const CallBase& call) {
    Note& note = result_.note;
    const auto number = [&](unsigned at) {
      return cast<ConstantInt>(call.getArgOperand(at))->getSExtValue();
    };
    std::vector<Node> values;
    for (unsigned i = 3; i < call.arg_size(); ++i) {
      const Node node = symbolic_.value(call.getArgOperand(i));
      values.push_back(note.has_variable(node) ? note.unknown("", "it changes between iterations of a loop")
                                               : node);
    }
    auto& clauses = clauses_[static_cast<uint32_t>(number(0))];
    const auto [at, fresh] = clauses.try_emplace(number(2), number(1), values);
    if (fresh) return;
    for (size_t i = 0; i < values.size(); ++i)
      if (at->second.second[i] != values[i])
        at->second.second[i] = note.unknown("", "it differs between calls");
  }

  void clauses(uint32_t number) {
    Note& note = result_.note;
    hybrid_phase& phase = note.phases[number];
    std::vector<Node> connections;
    for (const auto& [order, clause] : clauses_[number]) {
      const auto& [what, values] = clause;
      const bool known =
          std::all_of(values.begin(), values.end(), [&](Node node) { return note.is_known(node); });
      if (what == kCondition && !values.empty()) phase.condition = values[0];
      /* With numbers that are known only at run time, the pattern itself is unknown. */
      if (what == kPattern) phase.dimensions = list(values);
      if (what == kConnection && known) connections.insert(connections.end(), values.begin(), values.end());
    }
    phase.connections = list(connections);
  }

  Node list(const std::vector<Node>& values) {
    Node rest = HYBRID_NONE;
    for (size_t i = values.size(); i-- > 0;) rest = result_.note.make(HYBRID_LIST, values[i], rest);
    return rest;
  }

  /* Whether there is an unknown site, or a loop with unknown iterations around a site. */
  bool may_improve() const {
    const Note& note = result_.note;
    return std::any_of(note.sites.begin(), note.sites.end(), [&](const hybrid_site& site) {
      bool unknown = site.site_class == HYBRID_DYNAMIC;
      for (uint32_t loop = site.loop; loop != HYBRID_NONE; loop = note.loops[loop].parent)
        unknown |= site.kind != HYBRID_COLLECTIVE && note.loops[loop].condition == HYBRID_NONE;
      return unknown;
    });
  }

  void own_variables() {
    const Note note = result_.note; /* must not change */
    for (const GlobalVariable* global : requested_variables(*prepared_.module, symbolic_))
      if (may_get_a_name(*global)) result_.own_variables.insert(global->getName().str());
    result_.locals = symbolic_.requested_locals();
    result_.note = note;
  }

  Prepared& prepared_;
  const std::vector<DirectivePhase>& directives_;
  const WholeProgram* whole_;
  const bool sends_unseen_;
  const Remarks remarks_;
  Extraction result_;
  Symbolic symbolic_;
  RunTimeReads reads_; /* of the current site */
  SiteCopies copies_;
  const BasicBlock* begin_ = nullptr; /* of the current site's phase */
  const Instruction* mark_ = nullptr; /* what begins it; null for a procedure */
  /* For each directive's phase, in order: the clause and its values. */
  std::map<uint32_t, std::map<int64_t, std::pair<int64_t, std::vector<Node>>>> clauses_;
};

}  // namespace

bool communicates(const Module& module) {
  for (const Function& function : module) {
    bool fortran = false;
    if (function.use_empty()) continue;
    if (is_marker(function.getName()) || (function.isDeclaration() && find_call(function.getName(), fortran)))
      return true;
  }
  return false;
}

Extraction extract(std::unique_ptr<Module> module, const WholeProgram* whole,
                   const std::vector<DirectivePhase>& directives,
                   const std::function<bool(const std::string&)>& can_be_named, Remarks remarks) {
  const bool unseen = sends_unseen(*module);
  Prepared prepared = prepare(std::move(module), whole ? &whole->outside : nullptr);
  return Extractor(prepared, whole, unseen, directives, can_be_named, remarks).run();
}

}  // namespace hybrid::pass
