#include "clang_plugin/pass/extraction.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>
#include <cstring>

#include "clang_plugin/pass/site_copies.h"
#include "clang_plugin/pass/symbolic.h"
#include "clang_plugin/pass/values.h"
#include "core/readable_name.h"

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
  Extractor(Prepared& prepared, const std::vector<DirectivePhase>& directives)
      : prepared_(prepared),
        directives_(directives),
        symbolic_(result_.note),
        copies_(prepared, directives, result_.note, symbolic_) {}

  Extraction run() {
    for (const DirectivePhase& directive : directives_) begin_phase(directive);
    for (Function& function : *prepared_.module)
      for (const Instruction& instruction : instructions(function))
        if (const auto* call = dyn_cast<CallBase>(&instruction); call && !is_aside(*call))
          if (const Function* callee = call->getCalledFunction()) {
            if (callee->getName() == kSite) site(*call);
            if (callee->getName() == kClause) clause(*call);
          }
    settle();
    for (uint32_t i = 0; i < directives_.size(); ++i) clauses(i);
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
    for (SiteOfPhase& phase : copy.phases) phase.site.origin = number;
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
    site.function = note.string(readable_name(origin.function));
    const Symbolic::Guard guard =
        directive == HYBRID_NONE ? symbolic_.guard(call, origin.function) : symbolic_.guard(call, directive);
    begin_ = guard.begin;
    result.begin = guard.mark;
    site.communicator = symbolic_.communicator(call.getArgOperand(5));
    const auto argument = [&](unsigned at, int position) {
      return position < 0 ? HYBRID_NONE : symbolic_.value(call.getArgOperand(at));
    };
    site.peer = argument(3, origin.part->peer);
    if (site.peer != HYBRID_NONE) site.peer = named_peer(note, site.peer);
    site.tag = known_or_none(argument(4, origin.part->tag));
    site.count = origin.part->request < 0 ? known_or_none(argument(1, origin.part->count)) : HYBRID_NONE;
    site.type_size = origin.part->type < 0 ? HYBRID_NONE : symbolic_.datatype_size(call.getArgOperand(2));
    site.reason = HYBRID_NONE;
    site.loop = symbolic_.loop_around(*call.getParent());
    std::set<Node> of_no_interest;
    /* Either all members call a collective or none. Its connections depend only on its communicator and its
     * root. */
    site.guard =
        note.both(known_part(guard.outer, result.left_out),
                  site.kind == HYBRID_COLLECTIVE ? known_part(guard.inner, of_no_interest) : guard.inner);
    const std::string why = not_known(site, origin);
    result.known = why.empty() || why == kPerhapsNoIteration;
    site.site_class = why.empty() ? HYBRID_STATIC : HYBRID_DYNAMIC;
    if (!why.empty()) site.reason = note.string(why);
    return result;
  }

  void settle() {
    Note& note = result_.note;
    for (const NotedSite* site : copies_.settle(result_.procedures))
      if (std::none_of(note.sites.begin(), note.sites.end(), [&](const NotedSite& other) {
            return other.origin == site->origin && std::memcmp(&other, site, sizeof(hybrid_site)) == 0;
          }))
        note.sites.push_back(*site);
    /* In each function in source order, independent of the order of its blocks. */
    const auto other_function = [](const hybrid_site& a, const hybrid_site& b) {
      return a.function != b.function || a.file != b.file;
    };
    for (auto begin = note.sites.begin(); begin != note.sites.end();) {
      auto end = std::adjacent_find(begin, note.sites.end(), other_function);
      if (end != note.sites.end()) ++end;
      std::stable_sort(begin, end, [](const hybrid_site& a, const hybrid_site& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
      });
      begin = end;
    }
  }

  /* Of a conjunction: the conditions that are known. Every path to the phase passes through the others, so
   * they hold when hints are evaluated; they are added to `left_out`. */
  Node known_part(Node all, std::set<Node>& left_out) {
    Note& note = result_.note;
    if (all == HYBRID_NONE) return all;
    if (note.nodes[all].op == HYBRID_AND) {
      const hybrid_node n = note.nodes[all];
      const Node a = known_part(n.a, left_out);
      return note.both(a, known_part(n.b, left_out));
    }
    if (note.is_known(all) && endless(all).empty()) return all;
    left_out.insert(all);
    return HYBRID_NONE;
  }

  Node known_or_none(Node node) { return result_.note.is_known(node) ? node : HYBRID_NONE; }

  /* Why the site is dynamic; empty if it is not. */
  std::string not_known(const hybrid_site& site, const SiteOrigin& origin) {
    const Note& note = result_.note;
    if (origin.part->request >= 0) return "the peer is that of the persistent request";
    if (!note.is_known(site.communicator)) return note.reason(site.communicator);
    if (!note.is_known(site.peer)) return "the peer: " + note.reason(site.peer);
    if (!note.is_known(site.guard)) return "whether the call is made: " + note.reason(site.guard);
    if (origin.call->sizes_are_data) return "the sizes are known only at run time";
    for (Node node : {site.communicator, site.peer, site.guard})
      if (std::string why = endless(node); !why.empty()) return why;
    for (uint32_t loop = site.loop; loop != HYBRID_NONE; loop = note.loops[loop].parent)
      if (site.kind != HYBRID_COLLECTIVE && note.loops[loop].condition == HYBRID_NONE && !is_entered(loop))
        return kPerhapsNoIteration;
    return site.peer != HYBRID_NONE && note.contains(site.peer, HYBRID_ANY_SOURCE)
               ? "it receives from any source"
               : "";
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
      if (op == HYBRID_VARIABLE && note.loops[note.variable_loop[number]].condition == HYBRID_NONE)
        return "it depends on a loop with an unknown end";
    }
    return "";
  }

  uint32_t phase(const std::string& function, const CallBase& call) {
    Note& note = result_.note;
    const auto found = result_.procedures.find(function);
    if (found != result_.procedures.end()) return found->second;
    hybrid_phase phase{};
    phase.name = note.string(readable_name(function));
    if (const DILocation* at = call.getDebugLoc())
      if (const DISubprogram* where = at->getScope()->getSubprogram()) {
        phase.file = note.string(where->getFilename());
        phase.line = where->getLine();
      }
    phase.kind = HYBRID_PHASE_PROCEDURE;
    return result_.procedures[function] = add(phase);
  }

  uint32_t add(hybrid_phase& phase) {
    phase.condition = phase.dimensions = phase.connections = phase.profile = HYBRID_NONE;
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
    phase.value_count = directive.value_count;
    add(phase);
  }

  /* Adds a clause of a directive. A clause occurs once for each inlined copy of its function. A value that is
   * unknown, or differs between copies, is one that the mark passes. */
  void clause(const CallBase& call) {
    Note& note = result_.note;
    const auto number = [&](unsigned at) {
      return cast<ConstantInt>(call.getArgOperand(at))->getSExtValue();
    };
    const auto passed = [&](size_t value, Node node) {
      const bool has_name =
          node != HYBRID_NONE && note.nodes[node].op == HYBRID_INPUT && note.nodes[node].b != HYBRID_NONE;
      return note.argument(static_cast<uint32_t>(number(2)) + static_cast<uint32_t>(value),
                           has_name ? note.strings.c_str() + note.nodes[node].b : "");
    };
    std::vector<Node> values;
    for (unsigned i = 3; i < call.arg_size(); ++i) {
      const Node node = symbolic_.value(call.getArgOperand(i));
      const bool known = note.is_known(node) && !note.has_variable(node);
      values.push_back(known ? node : passed(values.size(), node));
    }
    auto& clauses = clauses_[static_cast<uint32_t>(number(0))];
    const auto [at, fresh] = clauses.try_emplace({number(2), number(1)}, values);
    if (fresh) return;
    for (size_t i = 0; i < values.size(); ++i)
      if (at->second[i] != values[i]) at->second[i] = passed(i, HYBRID_NONE);
  }

  void clauses(uint32_t number) {
    Note& note = result_.note;
    hybrid_phase& phase = note.phases[number];
    std::vector<Node> connections;
    for (const auto& [clause, values] : clauses_[number]) {
      const int64_t what = clause.second;
      if (what == kCondition && !values.empty()) phase.condition = values[0];
      if (what == kPattern) phase.dimensions = list(values);
      if (what == kConnection) connections.insert(connections.end(), values.begin(), values.end());
    }
    phase.connections = list(connections);
  }

  Node list(const std::vector<Node>& values) {
    Node rest = HYBRID_NONE;
    for (size_t i = values.size(); i-- > 0;) rest = result_.note.make(HYBRID_LIST, values[i], rest);
    return rest;
  }

  Prepared& prepared_;
  const std::vector<DirectivePhase>& directives_;
  Extraction result_;
  Symbolic symbolic_;
  SiteCopies copies_;
  const BasicBlock* begin_ = nullptr; /* of the current site's phase */
  /* For each directive's phase, in order: the number of a clause's first value, enum Clause, and the values.
   */
  std::map<uint32_t, std::map<std::pair<int64_t, int64_t>, std::vector<Node>>> clauses_;
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

Extraction extract(Prepared& prepared, const std::vector<DirectivePhase>& directives) {
  return Extractor(prepared, directives).run();
}

}  // namespace hybrid::pass
