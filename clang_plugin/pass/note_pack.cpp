/* Packs a note into its descriptor, without parts that no site and no phase needs. */
#include <functional>

#include "clang_plugin/pass/note.h"

namespace hybrid::pass {
namespace {

template <class T>
void append(std::string& bytes, const std::vector<T>& items) {
  bytes.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
}

}  // namespace

std::string Note::pack(hybrid_unit& head) const {
  std::vector<char> node_used(nodes.size()), loop_used(loops.size());
  std::function<void(uint32_t)> use_loop;
  const std::function<void(Node)> use = [&](Node node) {
    /* Iterates over a list, which may be long. */
    for (; node != HYBRID_NONE && nodes[node].op == HYBRID_LIST && !node_used[node]; node = nodes[node].b) {
      node_used[node] = 1;
      use(nodes[node].a);
    }
    if (node == HYBRID_NONE || node_used[node]) return;
    node_used[node] = 1;
    const hybrid_node& n = nodes[node];
    use(n.a);
    if (!names_a_string(n.op)) use(n.b);
    use(n.c);
    if (n.op == HYBRID_VARIABLE) use_loop(variable_loop[static_cast<size_t>(value_of(n))]);
  };
  use_loop = [&](uint32_t loop) {
    if (loop == HYBRID_NONE || loop_used[loop]) return;
    loop_used[loop] = 1;
    use_loop(loops[loop].parent);
    use(loops[loop].condition);
    for (size_t i = 0; i < variables.size(); ++i)
      if (variable_loop[i] == loop) use(variables[i].first), use(variables[i].next);
  };
  for (const hybrid_site& site : sites) {
    for (Node node : {site.communicator, site.peer, site.tag, site.count, site.type_size, site.guard})
      use(node);
    use_loop(site.loop);
  }
  for (const hybrid_phase& phase : phases)
    for (Node node : {phase.condition, phase.dimensions, phase.connections, phase.profile}) use(node);

  std::vector<uint32_t> loop_at(loops.size(), HYBRID_NONE), variable_at(variables.size(), HYBRID_NONE),
      node_at(nodes.size(), HYBRID_NONE);
  std::vector<hybrid_loop> packed_loops;
  std::vector<hybrid_variable> packed_variables;
  std::vector<hybrid_node> packed_nodes;
  /* An unused variable is left out, even if its loop is used. */
  std::vector<char> variable_used(variables.size());
  for (size_t i = 0; i < nodes.size(); ++i)
    if (node_used[i] && nodes[i].op == HYBRID_VARIABLE)
      variable_used[static_cast<size_t>(value_of(nodes[i]))] = 1;
  for (uint32_t loop = 0; loop < loops.size(); ++loop) {
    if (!loop_used[loop]) continue;
    loop_at[loop] = static_cast<uint32_t>(packed_loops.size());
    hybrid_loop packed = loops[loop];
    packed.first_variable = static_cast<uint32_t>(packed_variables.size());
    for (size_t i = 0; i < variables.size(); ++i) {
      if (variable_loop[i] != loop || !variable_used[i]) continue;
      variable_at[i] = static_cast<uint32_t>(packed_variables.size());
      packed_variables.push_back(variables[i]);
    }
    packed.variable_count = static_cast<uint32_t>(packed_variables.size()) - packed.first_variable;
    packed_loops.push_back(packed);
  }
  const auto moved = [](const std::vector<uint32_t>& map, uint32_t& index) {
    if (index != HYBRID_NONE) index = map[index];
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!node_used[i]) continue;
    node_at[i] = static_cast<uint32_t>(packed_nodes.size());
    hybrid_node node = nodes[i];
    moved(node_at, node.a);
    if (!names_a_string(node.op)) moved(node_at, node.b);
    moved(node_at, node.c);
    if (node.op == HYBRID_VARIABLE) {
      node.value_low = static_cast<int32_t>(variable_at[static_cast<size_t>(value_of(node))]);
      node.value_high = 0;
    }
    packed_nodes.push_back(node);
  }
  for (hybrid_variable& variable : packed_variables)
    moved(node_at, variable.first), moved(node_at, variable.next);
  for (hybrid_loop& loop : packed_loops) moved(loop_at, loop.parent), moved(node_at, loop.condition);
  std::vector<hybrid_site> packed_sites(sites.begin(), sites.end());
  for (hybrid_site& site : packed_sites) {
    for (uint32_t* node :
         {&site.communicator, &site.peer, &site.tag, &site.count, &site.type_size, &site.guard})
      moved(node_at, *node);
    moved(loop_at, site.loop);
  }
  std::vector<hybrid_phase> packed_phases = phases;
  for (hybrid_phase& phase : packed_phases)
    for (uint32_t* node : {&phase.condition, &phase.dimensions, &phase.connections, &phase.profile})
      moved(node_at, *node);

  head.node_count = static_cast<uint32_t>(packed_nodes.size());
  head.variable_count = static_cast<uint32_t>(packed_variables.size());
  head.loop_count = static_cast<uint32_t>(packed_loops.size());
  head.site_count = static_cast<uint32_t>(packed_sites.size());
  head.phase_count = static_cast<uint32_t>(packed_phases.size());
  std::string bytes;
  append(bytes, packed_nodes);
  append(bytes, packed_variables);
  append(bytes, packed_loops);
  append(bytes, packed_sites);
  append(bytes, packed_phases);
  bytes += strings;
  while (bytes.size() % 4) bytes.push_back('\0');
  head.string_bytes = static_cast<uint32_t>(
      bytes.size() - packed_nodes.size() * sizeof(hybrid_node) -
      packed_variables.size() * sizeof(hybrid_variable) - packed_loops.size() * sizeof(hybrid_loop) -
      packed_sites.size() * sizeof(hybrid_site) - packed_phases.size() * sizeof(hybrid_phase));
  head.size = static_cast<uint32_t>(sizeof(hybrid_unit) + bytes.size());
  return bytes;
}

}  // namespace hybrid::pass
