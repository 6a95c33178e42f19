#include "core/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/error.h"

namespace hybrid {
namespace {

class Animal {
 public:
  static constexpr std::string_view kKind = "test animal";
  virtual ~Animal() = default;
  virtual std::string says() const = 0;
};
class Repeating : public Animal {
 public:
  Repeating(std::string word, int times) : word_(std::move(word)), times_(times) {}
  std::string says() const override {
    std::string all;
    for (int i = 0; i < times_; ++i) all += word_;
    return all;
  }

 private:
  std::string word_;
  int times_;
};
using AnimalRegistration = Registration<Animal, int>;

class Plant {
 public:
  static constexpr std::string_view kKind = "test plant";
  std::string name() const { return "a plant"; }
};
using PlantRegistration = Registration<Plant>;
const PlantRegistration kSeed{
    "seed:KIND", "grows", [] { return std::make_unique<Plant>(); }, {.argument = true}};

const AnimalRegistration kDog{"dog", "barks", [](int times) -> std::unique_ptr<Animal> {
                                return std::make_unique<Repeating>("woof", times);
                              }};
const AnimalRegistration kCat{
    "cat",
    "does not",
    [](int times) -> std::unique_ptr<Animal> { return std::make_unique<Repeating>("meow", times); },
    {.options = joined({{"fur"}, {"claws", "purr"}}), .fat_trees = true}};
const AnimalRegistration kMule{
    "mule", "refuses", [](int) -> std::unique_ptr<Animal> { throw UserError("a mule cannot be created"); }};

class Vegetable {
 public:
  static constexpr std::string_view kKind = "test vegetable";
};
const Registration<Vegetable> kDogRose{"dog", "a plant of the same name",
                                       [] { return std::make_unique<Vegetable>(); }};

TEST(Registry, ANameMayEndWithAnArgument) {
  EXPECT_EQ(PlantRegistration::make("seed:oak")->name(), "a plant");
  EXPECT_EQ(argument_in("test plant", "seed:oak:2"), "oak:2");
  EXPECT_EQ(argument_in("test animal", "dog"), "");
  EXPECT_TRUE(is_registered("test plant", "seed:oak"));
  for (const char* const name : {"seed", "seed:", "see:oak"}) {
    EXPECT_FALSE(is_registered("test plant", name)) << name;
    EXPECT_THROW(PlantRegistration::make(name), UserError) << name;
  }
}

TEST(Registry, MakesByName) {
  EXPECT_EQ(AnimalRegistration::make("dog", 2)->says(), "woofwoof");
  EXPECT_EQ(AnimalRegistration::make("cat", 1)->says(), "meow");
}

TEST(Registry, SeparatesKinds) {
  EXPECT_EQ(registered_names("test animal"), (std::vector<std::string_view>{"cat", "dog", "mule"}));
  EXPECT_EQ(registered_names("test vegetable"), std::vector<std::string_view>{"dog"});
  EXPECT_TRUE(registered_names("test mineral").empty());
  EXPECT_NE(Registration<Vegetable>::make("dog"), nullptr);
}

TEST(Registry, AnUnknownNameIsReportedWithTheKnownAndTheClosestName) {
  try {
    AnimalRegistration::make("dig", 1);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown test animal 'dig'; expected one of: cat, dog, mule\n  Did you mean 'dog'?");
  }
}

TEST(Registry, PassesOnExceptionsOfAFactory) { EXPECT_THROW(AnimalRegistration::make("mule", 1), UserError); }

TEST(Registry, ListsEverythingSorted) {
  const auto all = listings();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const Listing& a, const Listing& b) {
    return std::pair(a.kind, a.name) < std::pair(b.kind, b.name);
  }));
  const auto dog = std::find_if(all.begin(), all.end(),
                                [](const Listing& l) { return l.kind == "test animal" && l.name == "dog"; });
  ASSERT_NE(dog, all.end());
  EXPECT_EQ(dog->description, "barks");
}

TEST(Registry, ProductsStateTheOptionsThatTheyUse) {
  EXPECT_TRUE(uses_option("test animal", "cat", "purr"));
  EXPECT_FALSE(uses_option("test animal", "dog", "purr"));
  EXPECT_TRUE(uses_option("test animal", "dog", "weight")) << "stated by no animal: common to all";
  EXPECT_TRUE(uses_option("test vegetable", "dog", "purr")) << "stated by no vegetable";
  EXPECT_TRUE(is_stated_option("test animal", "claws"));
  EXPECT_FALSE(is_stated_option("test vegetable", "claws"));
  EXPECT_TRUE(runs_on_fat_trees("test animal", "cat"));
  EXPECT_FALSE(runs_on_fat_trees("test animal", "dog"));
  EXPECT_THROW(uses_option("test animal", "dig", "purr"), UserError);
}

}  // namespace
}  // namespace hybrid
