// Registry of products that a user selects by name: one for each kind (technique, scheduler, predictor,
// allocation, pattern, collective algorithm, trace format, ...). A source file registers its product with a
// name and a description of one line; no other file changes:
//
//   namespace { const Registration<Scheduler, const SchedulerShape&> kGreedy{"greedy", "D 5.3's SL array,
//   ...",
//       [](const SchedulerShape& s) -> std::unique_ptr<Scheduler> { return std::make_unique<Greedy>(s); }}; }
//
// The interface of the product names the kind: `static constexpr std::string_view kKind = "scheduler";`.
// Registrations must have static storage duration. The registry changes during static initialisation only;
// afterwards all threads may read it without a lock.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace hybrid {

/// A registered product, as shown by `hybrid list`.
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
/// Throws UserError for an unknown name; the message contains the kind, the known names and a suggestion.
const Node& find(std::string_view kind, std::string_view name);
}  // namespace registry_detail

/// All registered products, sorted by kind, then name.
std::vector<Listing> listings();
/// The names of one kind, sorted.
std::vector<std::string_view> registered_names(std::string_view kind);

template <class Product, class... Arguments>
class Registration : registry_detail::Node {
 public:
  using Factory = std::unique_ptr<Product> (*)(Arguments...);
  Registration(std::string_view name, std::string_view description, Factory factory)
      : Node(Product::kKind, name, description), factory_(factory) {}

  /// A new product of that name. Throws UserError for an unknown name; passes on exceptions of the factory.
  static std::unique_ptr<Product> make(std::string_view name, Arguments... arguments) {
    const auto& node = static_cast<const Registration&>(registry_detail::find(Product::kKind, name));
    return node.factory_(std::forward<Arguments>(arguments)...);
  }

 private:
  Factory factory_;
};

}  // namespace hybrid
