/* A unit's note under construction. Equal nodes are one node; simple arithmetic is folded. */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/hint_abi.h"

namespace hybrid::pass {

using Node = uint32_t; /* index of a node, or HYBRID_NONE */

/* Whether the node's `b` is a string. */
constexpr bool names_a_string(uint32_t op) { return op == HYBRID_ARGUMENT || op == HYBRID_INPUT; }

/* The node's `value`, of which the file has two halves. */
inline int64_t value_of(const hybrid_node& node) {
  return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(node.value_high)) << 32 |
                              static_cast<uint32_t>(node.value_low));
}

struct NotedSite : hybrid_site {
  uint64_t origin = 0; /* of the call: index of Prepared::origins */
};

class Note {
 public:
  Node constant(int64_t value);
  /* Returns the node of an operation. Folds constants, x+0, x*1, x&1 of truth values and similar. */
  Node make(uint32_t op, Node a = HYBRID_NONE, Node b = HYBRID_NONE, Node c = HYBRID_NONE, int64_t value = 0);
  Node negation(Node truth);
  Node both(Node a, Node b);   /* of truth values; HYBRID_NONE is true */
  Node either(Node a, Node b); /* of truth values; HYBRID_NONE is true */
  /* A value known only at run time. `why`: the reason, for users. */
  Node unknown(std::string_view name, std::string_view why);
  Node unknown_communicator(std::string_view why);
  /* HYBRID_ARGUMENT. `name`: in the source, or "". */
  Node argument(uint32_t number, std::string_view name);
  uint32_t string(std::string_view text);

  bool is_constant(Node node, int64_t& value) const;
  /* Returns all nodes that `node` depends on, itself included: of loop variables their first and next values.
   */
  std::vector<Node> parts(Node node) const { return parts(std::vector<Node>{node}); }
  std::vector<Node> parts(std::vector<Node> pending) const;
  bool contains(Node node, uint32_t op) const;
  /* Whether it changes with the loop's iterations. */
  bool has_variable_of(Node node, uint32_t loop) const;
  bool is_known(Node node) const;
  bool has_variable(Node node) const;
  /* Whether the loop tests after its iterations, so that there is always a first one. */
  bool always_turns(uint32_t loop) const;
  /* Whether the site depends on more than the existence of an iteration of the loop. */
  bool turns_matter(uint32_t loop, const hybrid_site& site) const;
  /* Returns the reason of the first unknown part of `node`; empty if all is known. */
  std::string reason(Node node) const;

  std::vector<hybrid_node> nodes;
  std::vector<hybrid_variable> variables; /* of loop i: those with variable_loop = i */
  std::vector<uint32_t> variable_loop;
  std::vector<hybrid_loop> loops;
  std::vector<NotedSite> sites;
  std::vector<hybrid_phase> phases;
  std::string strings = std::string(1, '\0');

  /* Returns the descriptor without its head: only parts that sites and phases need, variables in the order of
   * their loops. Fills `head`, except version, flags, identity, name and addresses. */
  std::string pack(hybrid_unit& head) const;

 private:
  bool fold(uint32_t op, Node a, Node b, Node c, int64_t value, Node& result);
  /* Bounds of a value that truncation to 32 bits does not change. Returns false if unknown. */
  bool bounds(Node node, int64_t& low, int64_t& high) const;

  std::map<std::tuple<uint32_t, Node, Node, Node, int64_t>, Node> known_;
  std::map<std::string, uint32_t, std::less<>> known_strings_;
  std::map<Node, std::string> reasons_;
};

}  // namespace hybrid::pass
