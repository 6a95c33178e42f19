// Registry of products that a user selects by name: one for each kind (technique, scheduler, predictor,
// allocation, pattern, collective algorithm, trace format, ...). A source file registers its product with a
// name and a description of one line; no other file changes:
//
//   namespace { const Registration<Scheduler, const SchedulerShape&> kGreedy{"greedy", "D 5.3's SL array,
//   ...",
//       [](const SchedulerShape& s) -> std::unique_ptr<Scheduler> { return std::make_unique<Greedy>(s); }}; }
//
// A registration may also state which options the product uses and whether it runs on fat trees (Uses):
//
//   const SchedulerRegistration kIslip{"islip", "...", make, {.options = {"scheduler-steps"}}};
//
// The interface of the product names the kind: `static constexpr std::string_view kKind = "scheduler";`.
// Registrations must have static storage duration. The registry changes during static initialisation only;
// afterwards all threads may read it without a lock.
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace hybrid {

using OptionNames = std::vector<std::string_view>;

/// The options of several groups as one list, in order.
OptionNames joined(std::initializer_list<OptionNames> groups);

/// What a product uses besides what all products of its kind use.
struct Uses {
  OptionNames options = {};  // that only some products of the kind read, without "--"
  bool fat_trees = false;    // whether it runs on a fat tree, for kinds where some do not
  /// Whether the name ends with an argument: "serial:DEVICE" is the product of every name that starts with
  /// "serial:".
  bool argument = false;
};

/// A registered product, as shown by `hybrid list`.
struct Listing {
  std::string_view kind;
  std::string_view name;
  std::string_view description;
  const Uses* uses = nullptr;  // lives as long as the program
};

namespace registry_detail {
struct Node : Listing {
  Node(std::string_view kind, std::string_view name, std::string_view description, Uses uses);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  const Node* next;

 private:
  const Uses uses_;
};
/// Throws UserError for an unknown name; the message contains the kind, the known names and a suggestion.
const Node& find(std::string_view kind, std::string_view name);
}  // namespace registry_detail

/// All registered products, sorted by kind, then name.
std::vector<Listing> listings();
/// The names of one kind, sorted.
std::vector<std::string_view> registered_names(std::string_view kind);

/// Whether Registration::make() finds a product of that name.
bool is_registered(std::string_view kind, std::string_view name);

/// Whether the product reads `option`: it states the option, or no product of its kind does, so that the
/// option is not one of those that distinguish them. Throws UserError for an unknown name.
bool uses_option(std::string_view kind, std::string_view name, std::string_view option);
/// Whether any product of the kind states `option`.
bool is_stated_option(std::string_view kind, std::string_view option);
/// Whether the product states that it runs on fat trees. Throws UserError for an unknown name.
bool runs_on_fat_trees(std::string_view kind, std::string_view name);

/// The argument in `name`, "/dev/ttyUSB0" of "serial:/dev/ttyUSB0"; "" if the product has none. Throws
/// UserError for an unknown name.
std::string_view argument_in(std::string_view kind, std::string_view name);

template <class Product, class... Arguments>
class Registration : registry_detail::Node {
 public:
  using Factory = std::unique_ptr<Product> (*)(Arguments...);
  Registration(std::string_view name, std::string_view description, Factory factory, Uses uses = {})
      : Node(Product::kKind, name, description, std::move(uses)), factory_(factory) {}

  /// A new product of that name. Throws UserError for an unknown name; passes on exceptions of the factory.
  static std::unique_ptr<Product> make(std::string_view name, Arguments... arguments) {
    const auto& node = static_cast<const Registration&>(registry_detail::find(Product::kKind, name));
    return node.factory_(std::forward<Arguments>(arguments)...);
  }

 private:
  Factory factory_;
};

}  // namespace hybrid
