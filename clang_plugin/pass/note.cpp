#include "clang_plugin/pass/note.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace hybrid::pass {
namespace {

int64_t cut(int64_t value, int64_t bits, bool sign) {
  if (bits >= 64) return value;
  const uint64_t low = static_cast<uint64_t>(value) << (64 - bits);
  return sign ? static_cast<int64_t>(low) >> (64 - bits) : static_cast<int64_t>(low >> (64 - bits));
}

bool is_truth(uint32_t op) { return (op >= HYBRID_EQ && op <= HYBRID_ULE) || op == HYBRID_MEMBER; }

}  // namespace

Node Note::constant(int64_t value) {
  return make(HYBRID_CONSTANT, HYBRID_NONE, HYBRID_NONE, HYBRID_NONE, value);
}

uint32_t Note::string(std::string_view text) {
  if (text.empty()) return 0;
  const auto found = known_strings_.find(text);
  if (found != known_strings_.end()) return found->second;
  const auto at = static_cast<uint32_t>(strings.size());
  strings.append(text).push_back('\0');
  known_strings_.emplace(text, at);
  return at;
}

bool Note::is_constant(Node node, int64_t& value) const {
  if (node == HYBRID_NONE || nodes[node].op != HYBRID_CONSTANT) return false;
  value = value_of(nodes[node]);
  return true;
}

bool Note::bounds(Node node, int64_t& low, int64_t& high) const {
  const hybrid_node& n = nodes[node];
  int64_t al = 0, ah = 0, bl = 0, bh = 0;
  switch (n.op) {
    case HYBRID_CONSTANT:
      low = high = value_of(n);
      return low > -(1LL << 40) && high < 1LL << 40;
    case HYBRID_RANK:
    case HYBRID_COORDINATE:
      low = 0;
      high = 1 << 24;
      return true;
    case HYBRID_SIZE:
      low = 1;
      high = 1 << 24;
      return true;
    case HYBRID_SHIFT:
    case HYBRID_CART_RANK:
      low = -1;
      high = 1 << 24;
      return true;
    case HYBRID_MOD:
    case HYBRID_DIV: {
      if (!bounds(n.a, al, ah)) return false;
      if (n.op == HYBRID_DIV && !bounds(n.b, bl, bh)) bl = -1;
      const int64_t most = std::max(ah, -al);
      low = al < 0 || (n.op == HYBRID_DIV && bl < 0) ? -most : 0;  // a remainder has the sign of the dividend
      high = most;
      return true;
    }
    case HYBRID_SELECT:
      if (!bounds(n.b, al, ah) || !bounds(n.c, bl, bh)) return false;
      low = std::min(al, bl);
      high = std::max(ah, bh);
      return true;
    case HYBRID_TRUNC:
      return bounds(n.a, low, high) && low >= INT32_MIN && high <= INT32_MAX && value_of(n) >= 32;
    case HYBRID_ADD:
    case HYBRID_SUB:
    case HYBRID_MUL:
      if (!bounds(n.a, al, ah) || !bounds(n.b, bl, bh)) return false;
      if (n.op == HYBRID_ADD) low = al + bl, high = ah + bh;
      if (n.op == HYBRID_SUB) low = al - bh, high = ah - bl;
      if (n.op == HYBRID_MUL) {
        if (std::max({ah, -al, bh, -bl}) > 1 << 30) return false;
        low = std::min({al * bl, al * bh, ah * bl, ah * bh});
        high = std::max({al * bl, al * bh, ah * bl, ah * bh});
      }
      return low > -(1LL << 40) && high < 1LL << 40;
    default:
      if (!is_truth(n.op)) return false;
      low = 0;
      high = 1;
      return true;
  }
}

bool Note::fold(uint32_t op, Node a, Node b, Node c, int64_t value, Node& result) {
  int64_t x = 0, y = 0;
  const bool ca = is_constant(a, x), cb = is_constant(b, y);
  if (ca && cb && (op == HYBRID_EQ || op == HYBRID_NE))
    return result = constant((x == y) == (op == HYBRID_EQ)), true;
  switch (op) {
    case HYBRID_ADD:
    case HYBRID_OR:
    case HYBRID_XOR:
      if (ca && x == 0) return result = b, true;
      [[fallthrough]];
    case HYBRID_SUB:
    case HYBRID_SHL:
    case HYBRID_SHR:
    case HYBRID_SAR:
      if (cb && y == 0) return result = a, true;
      return false;
    case HYBRID_MUL:
      if (ca && x == 1) return result = b, true;
      [[fallthrough]];
    case HYBRID_DIV:
      if (cb && y == 1) return result = a, true;
      return false;
    case HYBRID_AND:
      if ((ca && x == 0) || (cb && y == 0)) return result = constant(0), true;
      if (a == b) return result = a, true;
      if (ca && x == 1 && is_truth(nodes[b].op)) return result = b, true;
      if (cb && y == 1 && is_truth(nodes[a].op)) return result = a, true;
      return false;
    case HYBRID_LT:
    case HYBRID_LE:
    case HYBRID_ULT:
    case HYBRID_ULE: {
      /* The same for all ranks and sizes: `size <= max_size()` of a container. */
      int64_t al = x, ah = x, bl = y, bh = y;
      if ((!ca && !bounds(a, al, ah)) || (!cb && !bounds(b, bl, bh))) return false;
      if ((op == HYBRID_ULT || op == HYBRID_ULE) && (al < 0 || bl < 0)) return false;
      const bool strict = op == HYBRID_LT || op == HYBRID_ULT;
      if (strict ? ah < bl : ah <= bl) return result = constant(1), true;
      if (strict ? al >= bh : al > bh) return result = constant(0), true;
      return false;
    }
    case HYBRID_SELECT:
      if (ca) return result = x ? b : c, true;
      if (b == c) return result = b, true;
      return false;
    case HYBRID_TRUNC:
    case HYBRID_ZEXT: {
      if (ca) return result = constant(cut(x, value, op == HYBRID_TRUNC)), true;
      int64_t low = 0, high = 0;
      if (value >= 32 && bounds(a, low, high) && high <= INT32_MAX &&
          low >= (op == HYBRID_TRUNC ? INT32_MIN : 0))
        return result = a, true;
      return false;
    }
    default:
      return false;
  }
}

Node Note::make(uint32_t op, Node a, Node b, Node c, int64_t value) {
  Node folded = HYBRID_NONE;
  if (op >= HYBRID_ADD && op <= HYBRID_ZEXT && fold(op, a, b, c, value, folded)) return folded;
  const auto [at, fresh] = known_.try_emplace({op, a, b, c, value}, static_cast<Node>(nodes.size()));
  if (fresh) nodes.push_back({op, a, b, c, static_cast<int32_t>(value), static_cast<int32_t>(value >> 32)});
  return at->second;
}

Node Note::negation(Node truth) {
  if (truth == HYBRID_NONE) return constant(0);
  const hybrid_node n = nodes[truth];
  if (n.op == HYBRID_EQ) return make(HYBRID_NE, n.a, n.b);
  if (n.op == HYBRID_NE) return make(HYBRID_EQ, n.a, n.b);
  if (n.op == HYBRID_LT) return make(HYBRID_LE, n.b, n.a);
  if (n.op == HYBRID_LE) return make(HYBRID_LT, n.b, n.a);
  if (n.op == HYBRID_ULT) return make(HYBRID_ULE, n.b, n.a);
  if (n.op == HYBRID_ULE) return make(HYBRID_ULT, n.b, n.a);
  return make(HYBRID_EQ, truth, constant(0));
}

Node Note::both(Node a, Node b) {
  int64_t value = 0;
  if (is_constant(a, value) && value) a = HYBRID_NONE;
  if (is_constant(b, value) && value) b = HYBRID_NONE;
  if (a == HYBRID_NONE) return b;
  if (b == HYBRID_NONE) return a;
  return make(HYBRID_AND, a, b);
}

Node Note::either(Node a, Node b) {
  if (a == HYBRID_NONE || b == HYBRID_NONE) return HYBRID_NONE;
  int64_t value = 0;
  if ((is_constant(a, value) && value) || (is_constant(b, value) && value)) return HYBRID_NONE;
  if (a == b) return a;
  if (negation(a) == b || negation(b) == a) return HYBRID_NONE;
  return make(HYBRID_OR, a, b);
}

Node Note::unknown(std::string_view name, std::string_view why) {
  const uint32_t text = string(name);
  /* Two unknown values with the same name are different values. */
  const auto at = static_cast<Node>(nodes.size());
  nodes.push_back({HYBRID_INPUT, HYBRID_NONE, text ? text : HYBRID_NONE, HYBRID_NONE, 0, 0});
  reasons_[at] = why;
  return at;
}

Node Note::unknown_communicator(std::string_view why) {
  const auto at = static_cast<Node>(nodes.size());
  nodes.push_back({HYBRID_UNKNOWN_COMMUNICATOR, HYBRID_NONE, HYBRID_NONE, HYBRID_NONE, 0, 0});
  reasons_[at] = why;
  return at;
}

Node Note::argument(uint32_t number, std::string_view name) {
  const uint32_t text = string(name);
  return make(HYBRID_ARGUMENT, HYBRID_NONE, text ? text : HYBRID_NONE, HYBRID_NONE, number);
}

std::vector<Node> Note::parts(std::vector<Node> pending) const {
  std::vector<Node> result;
  std::set<Node> seen;
  while (!pending.empty()) {
    const Node node = pending.back();
    pending.pop_back();
    if (node == HYBRID_NONE || !seen.insert(node).second) continue;
    result.push_back(node);
    const hybrid_node& n = nodes[node];
    if (n.op == HYBRID_VARIABLE) {
      const hybrid_variable& v = variables[static_cast<size_t>(value_of(n))];
      pending.insert(pending.end(), {v.next, v.first});
    }
    if (!names_a_string(n.op)) pending.insert(pending.end(), {n.c, n.b});
    pending.push_back(n.a);
  }
  return result;
}

bool Note::contains(Node start, uint32_t op) const {
  for (Node node : parts(start))
    if (nodes[node].op == op) return true;
  return false;
}

bool Note::has_variable_of(Node start, uint32_t loop) const {
  std::set<Node> seen;
  std::vector<Node> pending{start};
  while (!pending.empty()) {
    const Node node = pending.back();
    pending.pop_back();
    if (node == HYBRID_NONE || !seen.insert(node).second) continue;
    const hybrid_node& n = nodes[node];
    if (n.op == HYBRID_VARIABLE) {
      const auto number = static_cast<size_t>(value_of(n));
      if (variable_loop[number] == loop) return true;
      pending.insert(pending.end(), {variables[number].first, variables[number].next});
      continue;
    }
    pending.push_back(n.a);
    if (!names_a_string(n.op)) pending.insert(pending.end(), {n.b, n.c});
  }
  return false;
}

bool Note::has_variable(Node start) const {
  std::set<uint32_t> checked;
  for (Node node : parts(start)) {
    if (nodes[node].op != HYBRID_VARIABLE) continue;
    const uint32_t loop = variable_loop[static_cast<size_t>(value_of(nodes[node]))];
    if (checked.insert(loop).second && has_variable_of(start, loop)) return true;
  }
  return false;
}

bool Note::is_known(Node node) const {
  return !contains(node, HYBRID_INPUT) && !contains(node, HYBRID_UNKNOWN_COMMUNICATOR);
}

std::string Note::reason(Node start) const {
  for (Node node : parts(start)) {
    const hybrid_node& n = nodes[node];
    if (n.op != HYBRID_INPUT && n.op != HYBRID_UNKNOWN_COMMUNICATOR) continue;
    const auto found = reasons_.find(node);
    if (n.op == HYBRID_UNKNOWN_COMMUNICATOR)
      return "the communicator: " + (found == reasons_.end() ? "it is unknown" : found->second);
    const std::string name = n.b == HYBRID_NONE ? "" : strings.c_str() + n.b;
    return (name.empty() ? "" : name + ": ") + (found == reasons_.end() ? "" : found->second);
  }
  return "";
}

bool Note::always_turns(uint32_t loop) const {
  const Node condition = loops[loop].condition;
  if (condition == HYBRID_NONE || nodes[condition].op != HYBRID_VARIABLE) return false;
  const auto number = static_cast<size_t>(nodes[condition].value_low);
  int64_t first = 0;
  return variable_loop[number] == loop && is_constant(variables[number].first, first) && first != 0;
}

bool Note::turns_matter(uint32_t loop, const hybrid_site& site) const {
  for (const Node node : {site.communicator, site.peer, site.guard})
    if (node != HYBRID_NONE && has_variable_of(node, loop)) return true;
  return false;
}

}  // namespace hybrid::pass
