/* A unit's note while it is being built: equal nodes are one node, simple arithmetic is done at once. */
#ifndef HYBRID_CLANG_PLUGIN_PASS_NOTE_H
#define HYBRID_CLANG_PLUGIN_PASS_NOTE_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/hint_abi.h"

namespace hybrid::pass {

using Node = uint32_t; /* index of a node, or HYBRID_NONE */

/* Is the node's value the number of a loop? */
constexpr bool is_loop_result(uint32_t op) { return op == HYBRID_AFTER || op == HYBRID_ENTRY; }

class Note {
 public:
  Node constant(int64_t value);
  Node real(double value); /* a double's bits */
  /* Folds what is constant and x+0, x*1, x&1 of truths and the like. */
  Node make(uint32_t op, Node a = HYBRID_NONE, Node b = HYBRID_NONE, Node c = HYBRID_NONE, int64_t value = 0);
  Node negation(Node truth);
  Node both(Node a, Node b);   /* truths; HYBRID_NONE is always */
  Node either(Node a, Node b); /* truths; HYBRID_NONE is always */
  /* Something that only a run knows. `why` is a sentence for a person. */
  Node unknown(std::string_view name, std::string_view why);
  Node unknown_communicator(std::string_view why);
  /* HYBRID_AFTER or HYBRID_ENTRY; HYBRID_NONE where that would be results of more loops' results than readers
   * follow. */
  Node loop_result(uint32_t op, Node a, Node b, Node c, uint32_t loop);
  /* HYBRID_LOAD of `bytes` (negative: signed) at `offset` of the program's variable `address`. */
  Node load(uint32_t address, Node offset, int32_t bytes, std::string_view name);
  uint32_t string(std::string_view text);

  bool is_constant(Node node, int64_t& value) const;
  /* What `node` is made of, itself included. Loop variables are followed to their first and next values, what
   * a loop leaves to its condition. */
  std::vector<Node> parts(Node node) const { return parts(std::vector<Node>{node}); }
  std::vector<Node> parts(std::vector<Node> pending) const;
  bool contains(Node node, uint32_t op) const;
  /* Does it change with the loop's turns? What the loop leaves when it ends does not. */
  bool has_variable_of(Node node, uint32_t loop) const;
  bool is_known(Node node) const;
  bool has_variable(Node node) const;
  bool has_load(Node node) const;
  /* Does the loop ask after its turns, so that there is a first one in any case? */
  bool always_turns(uint32_t loop) const;
  /* Is it more than that there is a turn of the loop, what tells the site? */
  bool turns_matter(uint32_t loop, const hybrid_site& site) const;
  /* Why the first thing not known in `node` is not; empty if all is known. */
  std::string reason(Node node) const;

  std::vector<hybrid_node> nodes;
  std::vector<hybrid_variable> variables; /* of loop i: those with variable_loop = i */
  std::vector<uint32_t> variable_loop;
  std::vector<hybrid_loop> loops;
  std::vector<hybrid_site> sites;
  std::vector<hybrid_phase> phases;
  std::string strings = std::string(1, '\0');

  /* The descriptor without its head: only what sites and phases need, variables in the order of their loops.
   * `head` comes back filled, but for version, flags, identity, name and addresses. */
  std::string pack(hybrid_unit& head) const;

 private:
  bool fold(uint32_t op, Node a, Node b, Node c, int64_t value, Node& result);
  /* Bounds of a value known small, so that no cut to 32 bits can change it. */
  bool bounds(Node node, int64_t& low, int64_t& high) const;

  std::map<std::tuple<uint32_t, Node, Node, Node, int64_t>, Node> known_;
  std::map<std::string, uint32_t, std::less<>> known_strings_;
  std::map<Node, std::string> reasons_;
  std::map<Node, unsigned> levels_; /* of loops' results: loops one after the other */
};

}  // namespace hybrid::pass

#endif
