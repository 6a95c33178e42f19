#include "core/hints/note_reader.h"

#include <algorithm>
#include <cstring>

#include "core/hints/operations.h"

namespace hybrid {
namespace {

// Description of a field, for the error message. Formatted only if the field is invalid.
struct Of {
  const char* text;
  std::uint32_t number;
  operator std::string() const { return text + std::to_string(number); }
};

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& file) : bytes_(bytes) { unit_.file = file; }

  HintUnit read() {
    read_head();
    read_tables();
    check_nodes();
    check_loops();
    check_depths();
    for (std::uint32_t i = 0; i < unit_.sites.size(); ++i) check(unit_.sites[i], i);
    for (std::uint32_t i = 0; i < unit_.phases.size(); ++i) check(unit_.phases[i], i);
    check_parents();
    return std::move(unit_);
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    // `strings` is valid only after the string table was read and checked.
    const std::string name =
        strings_read_ && unit_.name < unit_.strings.size() ? std::string(unit_.text(unit_.name)) : "";
    throw UserError(unit_.file + ": unit " + (name.empty() ? "(name not readable)" : "'" + name + "'") +
                        ": damaged hints: " + problem,
                    "Compile it again with the hints plugin.");
  }

  void read_head() {
    hybrid_unit head{};
    std::memcpy(&head, bytes_.data(), std::min(bytes_.size(), 2 * sizeof(std::uint32_t)));
    if (bytes_.size() >= 2 * sizeof(std::uint32_t) && head.version != HYBRID_NOTE_VERSION)
      throw UserError(unit_.file + ": a unit has hints of version " + std::to_string(head.version) +
                          "; this libhybrid reads version " + std::to_string(HYBRID_NOTE_VERSION),
                      "Compile it again with the plugin of this libhybrid.");
    if (bytes_.size() < sizeof head)
      refuse(std::to_string(bytes_.size()) + " bytes; a unit has at least " + std::to_string(sizeof head));
    std::memcpy(&head, bytes_.data(), sizeof head);
    if (head.size > bytes_.size())
      refuse("its size is " + std::to_string(head.size) + " bytes, but the note has " +
             std::to_string(bytes_.size()));
    const std::uint64_t expected = sizeof head + std::uint64_t{head.node_count} * sizeof(hybrid_node) +
                                   std::uint64_t{head.variable_count} * sizeof(hybrid_variable) +
                                   std::uint64_t{head.loop_count} * sizeof(hybrid_loop) +
                                   std::uint64_t{head.site_count} * sizeof(hybrid_site) +
                                   std::uint64_t{head.phase_count} * sizeof(hybrid_phase) + head.string_bytes;
    if (expected != head.size)
      refuse("its tables take " + std::to_string(expected) + " bytes, its size says " +
             std::to_string(head.size));
    head_ = head;
    unit_.id = std::uint64_t{head.id_high} << 32 | head.id_low;
    unit_.name = head.name;
  }

  template <class T>
  void take(std::vector<T>& items, std::uint32_t count) {
    items.resize(count);
    if (count != 0) std::memcpy(items.data(), bytes_.data() + at_, count * sizeof(T));
    at_ += count * sizeof(T);
  }

  void read_tables() {
    at_ = sizeof(hybrid_unit);
    take(unit_.nodes, head_.node_count);
    take(unit_.variables, head_.variable_count);
    take(unit_.loops, head_.loop_count);
    take(unit_.sites, head_.site_count);
    take(unit_.phases, head_.phase_count);
    if (head_.string_bytes != 0)
      unit_.strings.assign(reinterpret_cast<const char*>(bytes_.data() + at_), head_.string_bytes);
    if (!unit_.strings.empty() && unit_.strings.back() != '\0') refuse("its strings do not end with a zero");
    strings_read_ = true;
    string(unit_.name, {"the name of unit ", 0});
  }

  void string(std::uint32_t offset, const Of& of) const {
    if (offset != HYBRID_NONE && offset >= unit_.strings.size())
      refuse(std::string(of) + " is string " + std::to_string(offset) + " of " +
             std::to_string(unit_.strings.size()) + " bytes");
  }

  HintType type(std::uint32_t node) const { return hint_operands(unit_.nodes[node].op).type; }

  // Checks a field that must be a node below `limit`, of type `wanted`.
  void node(std::uint32_t index, HintType wanted, bool may_be_none, std::uint32_t limit, const Of& of) const {
    if (index == HYBRID_NONE && may_be_none) return;
    if (index >= limit)
      refuse(std::string(of) + " is node " + (index == HYBRID_NONE ? "none" : std::to_string(index)) +
             "; expected one below " + std::to_string(limit));
    static constexpr const char* kNames[] = {"nothing", "a value", "a communicator", "a list"};
    if (type(index) != wanted)
      refuse(std::string(of) + " is node " + std::to_string(index) + ", " +
             kNames[static_cast<int>(type(index))] + "; expected " + kNames[static_cast<int>(wanted)]);
  }

  void operand(HintOperand operand, std::uint32_t field, std::uint32_t at) {
    const Of of{"an operand of node ", at};
    switch (operand) {
      case HintOperand::unused:
        return;
      case HintOperand::value:
      case HintOperand::value_or_none:
        return node(field, HintType::value, operand == HintOperand::value_or_none, at, of);
      case HintOperand::communicator:
        return node(field, HintType::communicator, false, at, of);
      case HintOperand::list:
      case HintOperand::list_or_none:
        return node(field, HintType::list, operand == HintOperand::list_or_none, at, of);
      case HintOperand::string:
        return string(field, of);
    }
  }

  void check_nodes() {
    odd_.resize(unit_.nodes.size());
    for (std::uint32_t i = 0; i < unit_.nodes.size(); ++i) {
      const hybrid_node& n = unit_.nodes[i];
      const HintOperands operands = hint_operands(n.op);
      if (operands.type == HintType::none)
        refuse("node " + std::to_string(i) + " has the unknown operation " + std::to_string(n.op));
      operand(operands.a, n.a, i);
      operand(operands.b, n.b, i);
      operand(operands.c, n.c, i);
      check_value(n, i);
      if (n.op == HYBRID_LIST) odd_[i] = n.b == HYBRID_NONE || !odd_[n.b];
    }
  }

  void check_depths() const {
    std::vector<std::uint32_t> depth(unit_.nodes.size());
    for (std::uint32_t i = 0; i < unit_.nodes.size(); ++i) {
      const hybrid_node& n = unit_.nodes[i];
      const HintOperands operands = hint_operands(n.op);
      for (const auto& [kind, field] :
           {std::pair{operands.a, n.a}, std::pair{operands.b, n.b}, std::pair{operands.c, n.c}}) {
        if (!is_node(kind) || field == HYBRID_NONE) continue;
        const std::uint32_t deeper = kind == HintOperand::list_or_none ? 0 : 1;  // a list's rest
        depth[i] = std::max(depth[i], depth[field] + deeper);
      }
      if (depth[i] > kHintDepth)
        refuse("node " + std::to_string(i) + " is nested deeper than " + std::to_string(kHintDepth));
    }
  }

  void check_value(const hybrid_node& n, std::uint32_t at) const {
    const std::int64_t value = hint_value(n);
    std::int64_t low = 0, end = 0;
    switch (n.op) {
      case HYBRID_VARIABLE:
        end = head_.variable_count;
        break;
      case HYBRID_ARGUMENT:
        end = INT32_MAX;
        break;
      case HYBRID_SHIFT:
        end = 2;
        break;
      case HYBRID_COORDINATE:
        end = INT32_MAX;
        break;
      case HYBRID_TRUNC:
      case HYBRID_ZEXT:
        low = 1, end = 65;
        break;
      default:
        return;
    }
    if (value < low || value >= end)
      refuse("node " + std::to_string(at) + " has the value " + std::to_string(value) + "; expected " +
             std::to_string(low) + " or more and below " + std::to_string(end));
  }

  void check_loops() {
    const auto nodes = static_cast<std::uint32_t>(unit_.nodes.size());
    for (std::uint32_t i = 0; i < unit_.variables.size(); ++i) {
      const hybrid_variable& v = unit_.variables[i];
      node(v.first, HintType::value, false, nodes, {"the first value of loop variable ", i});
      node(v.next, HintType::value, false, nodes, {"the next value of loop variable ", i});
      string(v.name, {"the name of loop variable ", i});
    }
    std::vector<bool> taken(unit_.variables.size());
    for (std::uint32_t i = 0; i < unit_.loops.size(); ++i) {
      const hybrid_loop& l = unit_.loops[i];
      if (l.parent != HYBRID_NONE && l.parent >= i)
        refuse("loop " + std::to_string(i) + " is in loop " + std::to_string(l.parent) +
               "; expected one before it");
      node(l.condition, HintType::value, true, nodes, {"the condition of loop ", i});
      if (l.first_variable > taken.size() || l.variable_count > taken.size() - l.first_variable)
        refuse("loop " + std::to_string(i) + " has variables that do not exist");
      for (std::uint32_t v = l.first_variable; v < l.first_variable + l.variable_count; ++v) {
        if (taken[v]) refuse("loop " + std::to_string(i) + " has a variable of another loop");
        taken[v] = true;
      }
    }
  }

  void index(std::uint32_t at, std::size_t count, const Of& of) const {
    if (at != HYBRID_NONE && at >= count)
      refuse(std::string(of) + " is number " + std::to_string(at) + " of " + std::to_string(count));
  }

  void check(const hybrid_site& s, std::uint32_t at) const {
    const auto nodes = static_cast<std::uint32_t>(unit_.nodes.size());
    string(s.file, {"the file of call site ", at});
    string(s.function, {"the function of call site ", at});
    string(s.call, {"the call of call site ", at});
    string(s.reason, {"the reason of call site ", at});
    if (s.kind < HYBRID_SEND || s.kind > HYBRID_ONE_SIDED)
      refuse(std::string(Of{"the kind of call site ", at}) + " is " + std::to_string(s.kind));
    if (s.site_class < HYBRID_STATIC || s.site_class > HYBRID_DYNAMIC)
      refuse(std::string(Of{"the class of call site ", at}) + " is " + std::to_string(s.site_class));
    node(s.communicator, HintType::communicator, false, nodes, {"the communicator of call site ", at});
    const bool has_peer = s.kind != HYBRID_COLLECTIVE && s.site_class == HYBRID_STATIC;
    node(s.peer, HintType::value, !has_peer, nodes, {"the peer of call site ", at});
    node(s.tag, HintType::value, true, nodes, {"the tag of call site ", at});
    node(s.count, HintType::value, true, nodes, {"the count of call site ", at});
    node(s.type_size, HintType::value, true, nodes, {"the size of the type of call site ", at});
    node(s.guard, HintType::value, true, nodes, {"the guard of call site ", at});
    index(s.loop, unit_.loops.size(), {"the loop of call site ", at});
    index(s.phase, unit_.phases.size(), {"the phase of call site ", at});
  }

  void check(const hybrid_phase& p, std::uint32_t at) const {
    const auto nodes = static_cast<std::uint32_t>(unit_.nodes.size());
    string(p.name, {"the name of phase ", at});
    string(p.file, {"the file of phase ", at});
    string(p.pattern, {"the pattern of phase ", at});
    if (p.kind < HYBRID_PHASE_LOOP || p.kind > HYBRID_PHASE_DIRECTIVE)
      refuse(std::string(Of{"the kind of phase ", at}) + " is " + std::to_string(p.kind));
    index(p.parent, unit_.phases.size(), {"the parent of phase ", at});
    node(p.condition, HintType::value, true, nodes, {"the condition of phase ", at});
    node(p.dimensions, HintType::list, true, nodes, {"the dimensions of phase ", at});
    node(p.connections, HintType::list, true, nodes, {"the connections of phase ", at});
    if (p.connections != HYBRID_NONE && odd_[p.connections])
      refuse(std::string(Of{"the connections of phase ", at}) + " have an odd number of ends");
    node(p.profile, HintType::list, true, nodes, {"the profile of phase ", at});
    check_profile(p.profile, at);
  }

  void check_profile(std::uint32_t list, std::uint32_t at) const {
    std::uint32_t elements = 0;
    std::int64_t ranks = 0;
    for (; list != HYBRID_NONE; list = unit_.nodes[list].b, ++elements) {
      const hybrid_node& element = unit_.nodes[unit_.nodes[list].a];
      const std::int64_t value = hint_value(element);
      const bool is_count = elements % 3 == 0;
      const bool fits = is_count ? value >= 1 && value <= UINT32_MAX : value >= 0 && value < ranks;
      if (element.op != HYBRID_CONSTANT || !fits)
        refuse(std::string(Of{"the profile of phase ", at}) + " has element " + std::to_string(elements) +
               " that is not a " + (is_count ? "number of ranks" : "rank below that number"));
      if (is_count) ranks = value;
    }
    if (elements % 3 != 0) refuse(std::string(Of{"the profile of phase ", at}) + " ends within a connection");
  }

  void check_parents() const {
    enum : char { unseen, open, good };
    std::vector<char> seen(unit_.phases.size(), unseen);
    for (std::uint32_t start = 0; start < seen.size(); ++start) {
      std::uint32_t p = start;
      for (; p != HYBRID_NONE && seen[p] == unseen; p = unit_.phases[p].parent) seen[p] = open;
      if (p != HYBRID_NONE && seen[p] == open) refuse("phase " + std::to_string(p) + " is inside itself");
      for (p = start; p != HYBRID_NONE && seen[p] == open; p = unit_.phases[p].parent) seen[p] = good;
    }
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool strings_read_ = false;
  std::vector<bool> odd_;  // by node: a list with an odd number of elements
  hybrid_unit head_{};
  HintUnit unit_;
};

}  // namespace

HintUnit read_hint_unit(std::span<const std::byte> bytes, const std::string& file) {
  return Reader(bytes, file).read();
}

}  // namespace hybrid
