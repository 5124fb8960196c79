#include "workloads/data/recipe.h"

#include <nlohmann/json.hpp>

#include "tests/workloads/scratch.h"

namespace lockstep::workloads {
namespace {

Recipe changed() {
  Recipe recipe;
  for (const auto& [key, value] : std::map<std::string, std::string>{{"optimizer", "adamw"},
                                                                     {"lr", "0.002"},
                                                                     {"momentum", "0.5"},
                                                                     {"beta1", "0.8"},
                                                                     {"beta2", "0.95"},
                                                                     {"epsilon", "1e-06"},
                                                                     {"weight_decay", "0.01"},
                                                                     {"batch", "64"},
                                                                     {"schedule", "cosine"},
                                                                     {"warmup_steps", "10"},
                                                                     {"final_lr_fraction", "0.1"},
                                                                     {"clip", "1"},
                                                                     {"precision", "fp64"},
                                                                     {"seed", "9007199254740992"},
                                                                     {"dropout", "0.25"}}) {
    set_recipe(recipe, key, value, "f", key);
    EXPECT_EQ(recipe_text(recipe, key), value);
    EXPECT_NE(recipe_text(recipe, key), recipe_text(Recipe{}, key)) << "the test must change " << key;
  }
  return recipe;
}

TEST(Recipe, SurvivesTextAndJson) {
  const Recipe recipe = changed();
  EXPECT_EQ(recipe_from_json(nlohmann::json::parse(to_json(recipe).dump()), "f"), recipe);
  EXPECT_EQ(recipe_from_json(nlohmann::json::parse(to_json(Recipe{}).dump()), "f"), Recipe{});
  EXPECT_EQ(to_json(recipe).size(), recipe_keys().size());
  EXPECT_TRUE(to_json(Recipe{})["clip"].is_null());
}

TEST(Recipe, RefusesWhatIsOutOfRange) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"lr", "0"},      {"lr", "nan"},    {"lr", "1x"},        {"lr", ""},          {"momentum", "1"}, {"batch", "0"},
      {"batch", "1.5"}, {"clip", "0"},    {"clip", "null"},    {"seed", "-1"},      {"dropout", "1"},  {"epsilon", "0"},
      {"lr", "inf"},    {"beta2", "1.1"}, {"precision", "16"}, {"schedule", "step"}};
  for (const auto& [key, value] : bad) {
    Recipe recipe;
    expect_failure("usage", {"a.json: $.recipe: ", key},
                   [&, k = key, v = value] { set_recipe(recipe, k, v, "a.json", "$.recipe"); });
    EXPECT_EQ(recipe, Recipe{}) << key << "=" << value;
  }
}

TEST(Recipe, NamesTheNearestKeyAndWord) {
  Recipe recipe;
  expect_failure("usage", {"momentun", "'momentum'"}, [&] { set_recipe(recipe, "momentun", "1", "f", "p"); });
  expect_failure("usage", {"adam", "'adamw'"}, [&] { set_recipe(recipe, "optimizer", "adam", "f", "p"); });
  expect_failure("usage", {"f: $.recipe.bach", "'batch'"}, [&] {
    read_recipe(recipe, nlohmann::ordered_json{{"bach", 1}}, "f", "$.recipe");
  });
}

}  // namespace
}  // namespace lockstep::workloads
