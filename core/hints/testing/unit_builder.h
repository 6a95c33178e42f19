// UnitBuilder: builds hint units node by node, for tests. bytes() returns the descriptor as the plugin writes
// it.
//
//   UnitBuilder b;
//   const auto next = b.node(HYBRID_ADD, b.rank(), b.constant(1));
//   b.site({.peer = next, .guard = b.node(HYBRID_LT, next, b.size())});
//   const HintUnit unit = b.unit();
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/hint_abi.h"
#include "core/hints/note_reader.h"

namespace hybrid {

class UnitBuilder {
 public:
  using Node = std::uint32_t;

  explicit UnitBuilder(std::string_view name = "hand.c") { name_ = string(name); }

  Node node(std::uint32_t op, Node a = HYBRID_NONE, Node b = HYBRID_NONE, Node c = HYBRID_NONE,
            std::int64_t value = 0) {
    nodes.push_back({op, a, b, c, static_cast<std::int32_t>(value), static_cast<std::int32_t>(value >> 32)});
    return static_cast<Node>(nodes.size() - 1);
  }
  Node constant(std::int64_t value) {
    return node(HYBRID_CONSTANT, HYBRID_NONE, HYBRID_NONE, HYBRID_NONE, value);
  }
  Node world() { return node(HYBRID_WORLD); }
  Node rank() { return rank(world()); }
  Node rank(Node communicator) { return node(HYBRID_RANK, communicator); }
  Node size() { return size(world()); }
  Node size(Node communicator) { return node(HYBRID_SIZE, communicator); }
  Node proc_null() { return node(HYBRID_PROC_NULL); }
  Node select(Node condition, Node yes, Node no) { return node(HYBRID_SELECT, condition, yes, no); }
  Node argument(std::string_view name, std::uint32_t number) {
    return node(HYBRID_ARGUMENT, HYBRID_NONE, string(name), HYBRID_NONE, number);
  }
  Node input(std::string_view name) { return node(HYBRID_INPUT, HYBRID_NONE, string(name)); }
  Node variable(std::uint32_t index) {
    return node(HYBRID_VARIABLE, HYBRID_NONE, HYBRID_NONE, HYBRID_NONE, index);
  }
  Node list(const std::vector<Node>& elements) {
    Node rest = HYBRID_NONE;
    for (std::size_t i = elements.size(); i-- > 0;) rest = node(HYBRID_LIST, elements[i], rest);
    return rest;
  }
  Node constants(const std::vector<std::int64_t>& values) {
    std::vector<Node> elements;
    for (const std::int64_t v : values) elements.push_back(constant(v));
    return list(elements);
  }

  std::uint32_t string(std::string_view text) {
    const auto at = static_cast<std::uint32_t>(strings.size());
    strings += text;
    strings += '\0';
    return at;
  }

  /// for (v = first; condition; v = next). The variables get the next free numbers.
  std::uint32_t loop(Node condition, const std::vector<hybrid_variable>& of_loop,
                     std::uint32_t parent = HYBRID_NONE) {
    loops.push_back({parent, condition, static_cast<std::uint32_t>(variables.size()),
                     static_cast<std::uint32_t>(of_loop.size())});
    variables.insert(variables.end(), of_loop.begin(), of_loop.end());
    return static_cast<std::uint32_t>(loops.size() - 1);
  }

  struct Site {
    Node peer = HYBRID_NONE;
    Node guard = HYBRID_NONE;
    Node communicator = HYBRID_NONE;  // none: MPI_COMM_WORLD
    std::uint32_t loop = HYBRID_NONE;
    std::uint32_t phase = HYBRID_NONE;
    std::string_view call = "MPI_Send";
    std::uint16_t kind = HYBRID_SEND;
    std::uint16_t site_class = HYBRID_STATIC;
    std::uint32_t line = 1;
    std::string_view reason = {};
    Node tag = HYBRID_NONE;
  };
  std::uint32_t site(const Site& s) {
    hybrid_site made{};
    made.file = string("hand.c");
    made.line = s.line;
    made.function = string("exchange");
    made.call = string(s.call);
    made.kind = s.kind;
    made.site_class = s.site_class;
    made.communicator = s.communicator == HYBRID_NONE ? world() : s.communicator;
    made.peer = s.peer;
    made.tag = s.tag;
    made.count = made.type_size = HYBRID_NONE;
    made.guard = s.guard;
    made.loop = s.loop;
    made.phase = s.phase;
    made.reason = s.reason.empty() ? HYBRID_NONE : string(s.reason);
    sites.push_back(made);
    return static_cast<std::uint32_t>(sites.size() - 1);
  }

  struct Phase {
    std::string_view name = "phase";
    std::uint16_t kind = HYBRID_PHASE_DIRECTIVE;
    std::string_view pattern = {};
    Node dimensions = HYBRID_NONE;
    Node connections = HYBRID_NONE;
    Node condition = HYBRID_NONE;
    std::uint32_t parent = HYBRID_NONE;
    std::uint16_t flags = 0;
    std::uint32_t slots = 0;
    Node profile = HYBRID_NONE;
    std::uint32_t value_count = 0;
  };
  std::uint32_t phase(const Phase& p) {
    hybrid_phase made{};
    made.name = string(p.name);
    made.file = string("hand.c");
    made.line = 1;
    made.kind = p.kind;
    made.flags = p.flags;
    made.parent = p.parent;
    made.condition = p.condition;
    made.pattern = p.pattern.empty() ? HYBRID_NONE : string(p.pattern);
    made.dimensions = p.dimensions;
    made.connections = p.connections;
    made.slots = p.slots;
    made.value_count = p.value_count;
    made.profile = p.profile;
    phases.push_back(made);
    return static_cast<std::uint32_t>(phases.size() - 1);
  }

  /// The descriptor.
  std::string bytes() const {
    hybrid_unit head{};
    head.version = HYBRID_NOTE_VERSION;
    head.id_low = 1;
    head.node_count = static_cast<std::uint32_t>(nodes.size());
    head.variable_count = static_cast<std::uint32_t>(variables.size());
    head.loop_count = static_cast<std::uint32_t>(loops.size());
    head.site_count = static_cast<std::uint32_t>(sites.size());
    head.phase_count = static_cast<std::uint32_t>(phases.size());
    head.string_bytes = static_cast<std::uint32_t>(strings.size());
    head.name = name_;
    std::string tables;
    append(tables, nodes);
    append(tables, variables);
    append(tables, loops);
    append(tables, sites);
    append(tables, phases);
    tables += strings;
    head.size = static_cast<std::uint32_t>(sizeof head + tables.size());
    std::string result(reinterpret_cast<const char*>(&head), sizeof head);
    return result + tables;
  }

  /// The descriptor in its ELF note, as in `.note.hybrid`.
  std::string note() const {
    const std::string descriptor = bytes();
    const std::uint32_t header[3] = {sizeof HYBRID_NOTE_NAME, static_cast<std::uint32_t>(descriptor.size()),
                                     HYBRID_NOTE_TYPE};
    std::string result(reinterpret_cast<const char*>(header), sizeof header);
    result.append(HYBRID_NOTE_NAME, sizeof HYBRID_NOTE_NAME);
    while (result.size() % 4 != 0) result += '\0';
    result += descriptor;
    while (result.size() % 4 != 0) result += '\0';
    return result;
  }

  HintUnit unit() const {
    const std::string descriptor = bytes();
    return read_hint_unit(std::as_bytes(std::span(descriptor)), "hand.o");
  }

  std::vector<hybrid_node> nodes;
  std::vector<hybrid_variable> variables;
  std::vector<hybrid_loop> loops;
  std::vector<hybrid_site> sites;
  std::vector<hybrid_phase> phases;
  std::string strings = std::string(1, '\0');

 private:
  template <class T>
  static void append(std::string& bytes, const std::vector<T>& items) {
    bytes.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
  }

  std::uint32_t name_;
};

}  // namespace hybrid
