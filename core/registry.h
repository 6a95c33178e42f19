// One registry per kind of thing that a user picks by name (technique, scheduler, predictor, allocation,
// pattern, collective algorithm, trace format, ...). A file registers its product with a name and a line of
// description; adding one touches no other file:
//
//   namespace { const Registration<Scheduler, const SchedulerShape&> kGreedy{"greedy", "D 5.3's SL array,
//   ...",
//       [](const SchedulerShape& s) -> std::unique_ptr<Scheduler> { return std::make_unique<Greedy>(s); }}; }
//
// The product's interface names its kind: `static constexpr std::string_view kKind = "scheduler";`.
// Registrations happen during static initialisation only; afterwards the registry never changes, so that
// reading it needs no lock. Registrations must have static storage duration.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace hybrid {

/// What `hybrid list` shows of one registered thing.
struct Listing {
  std::string_view kind;
  std::string_view name;
  std::string_view description;
};

namespace registry_detail {
struct Node : Listing {
  Node(std::string_view kind, std::string_view name, std::string_view description);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  const Node* next;
};
/// The node, or throws UserError that names the kind, the known names and, if there is one, the likely meant
/// name.
const Node& find(std::string_view kind, std::string_view name);
}  // namespace registry_detail

/// Everything registered, sorted by kind, then name.
std::vector<Listing> listings();
/// The names of one kind, sorted.
std::vector<std::string_view> registered_names(std::string_view kind);

template <class Product, class... Arguments>
class Registration : registry_detail::Node {
 public:
  using Factory = std::unique_ptr<Product> (*)(Arguments...);
  Registration(std::string_view name, std::string_view description, Factory factory)
      : Node(Product::kKind, name, description), factory_(factory) {}

  /// A new product of that name; throws UserError for an unknown name (and whatever the factory throws).
  static std::unique_ptr<Product> make(std::string_view name, Arguments... arguments) {
    const auto& node = static_cast<const Registration&>(registry_detail::find(Product::kKind, name));
    return node.factory_(std::forward<Arguments>(arguments)...);
  }

 private:
  Factory factory_;
};

}  // namespace hybrid
