// Properties over seeded random forms, and a short fuzz of every parser.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/plan/text/action.h"
#include "reference_trainer/plan/text/cell_text.h"
#include "reference_trainer/plan/text/quantity.h"

namespace lockstep::text {
namespace {

using Random = std::mt19937_64;

int64_t below(Random& random, int64_t bound) { return static_cast<int64_t>(random() % static_cast<uint64_t>(bound)); }

std::string random_value(Random& random) {
  const std::vector<std::string> values = {"7", "0.25", "ring", "1e-3", "25MB", "4096KiB", "x-1_y.z", "00", "50%"};
  return values[static_cast<size_t>(below(random, static_cast<int64_t>(values.size())))];
}

std::string random_arguments(Random& random) {
  std::string out;
  for (const char* key : {"", "s", "m", "group"}) {
    if (below(random, 3) != 0) continue;
    out += (out.empty() ? ":" : ",") + (*key ? std::string(key) + "=" : "") + random_value(random);
  }
  return out;
}

std::string random_terms(Random& random, std::string_view mark, int64_t most) {
  std::vector<std::string_view> names = terms::names(mark);
  std::string out;
  for (int64_t n = below(random, most + 1); n-- > 0;) {
    const auto at = names.begin() + below(random, static_cast<int64_t>(names.size()));
    out += std::string(mark) + std::string(*at) + random_arguments(random);
    names.erase(at);
  }
  return out;
}

std::string random_strategy(Random& random) {
  std::string mesh;
  for (const char* axis : {"pp", "dp", "ep", "tp", "w"}) {
    if (below(random, 2) == 0)
      mesh += (mesh.empty() ? "" : ".") + std::string(axis) + std::to_string(1 + below(random, 5));
  }
  return (mesh.empty() ? "serial" : mesh) + random_terms(random, "/", 4) + random_terms(random, "+", 3) +
         random_terms(random, "@", 1);
}

TEST(Random, StrategiesPrintToWhatTheyAre) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = random_strategy(random);
    const Strategy strategy = parse_strategy(text);
    EXPECT_EQ(parse_strategy(print(strategy)), strategy) << text;
    EXPECT_EQ(print(parse_strategy(print(strategy))), print(strategy)) << text;
  }
}

TEST(Random, TheNearestSupportedStrategyIsSupported) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Strategy strategy = parse_strategy(random_strategy(random));
    const Strategy nearest = terms::nearest_supported(strategy);
    EXPECT_TRUE(terms::check(nearest).empty()) << print(strategy) << " -> " << print(nearest);
    EXPECT_EQ(ranks(nearest), ranks(strategy)) << print(strategy);
    if (terms::check(strategy).empty()) {
      EXPECT_EQ(nearest, strategy);
    }
  }
}

TEST(Random, CellsPrintToWhatTheyAre) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    std::string text = "mlp-digits:desk,lr=" + std::to_string(below(random, 1000)) + "e-3,b=" + random_value(random) +
                       " reference:z=" + random_value(random) + ",env=a/b " + random_strategy(random) + " on virtual" +
                       random_arguments(random);
    const Cell cell = parse_cell(text);
    EXPECT_EQ(parse_cell(print(cell)), cell) << text;
  }
}

TEST(Random, QuantitiesPrintToWhatTheyAre) {
  Random random(4);
  for (int i = 0; i < 4000; ++i) {
    const auto dimension = static_cast<Dimension>(i % 4);
    const Quantity quantity{dimension, static_cast<int64_t>(random() >> (1 + below(random, 62)))};
    EXPECT_EQ(parse_quantity(print(quantity)), quantity) << print(quantity);
    EXPECT_EQ(parse_quantity(print(quantity), dimension), quantity);
  }
}

TEST(Random, ActionsPrintToWhatTheyAre) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const auto kind = static_cast<ActionKind>(below(random, 10));
    const int64_t microbatch = kind >= ActionKind::GATHER && below(random, 2) ? -1 : below(random, 1000);
    const Action action{static_cast<int>(below(random, 100)), kind, microbatch};
    EXPECT_EQ(parse_action(print(action)), action);
  }
}

std::string mutate(std::string text, Random& random) {
  static constexpr std::string_view kAlphabet = "dpw0129/+@:,.= =%_-ABm\n\xff";
  for (int64_t n = 1 + below(random, 4); n-- > 0;) {
    const size_t at = static_cast<size_t>(below(random, static_cast<int64_t>(text.size()) + 1));
    const char c = kAlphabet[static_cast<size_t>(below(random, kAlphabet.size()))];
    switch (below(random, 3)) {
      case 0:
        text.insert(at, 1, c);
        break;
      case 1:
        text.erase(std::min(at, text.size()), static_cast<size_t>(1 + below(random, 3)));
        break;
      default:
        if (at < text.size()) text[at] = c;
    }
  }
  return text;
}

bool runs(const Strategy& strategy) { return terms::check(strategy).empty(); }
template <class Value>
bool runs(const Value&) {
  return true;
}

/// What the message calls the nearest legal form must be legal; of a strategy one that runs.
template <class Parse>
void fuzz_one(Parse parse, const std::string& text) {
  try {
    const auto value = parse(text);
    EXPECT_EQ(print(parse(print(value))), print(value)) << text;
  } catch (const Failure& failure) {
    const std::string message = failure.what();
    constexpr std::string_view kNearest = "nearest legal form: ";
    const size_t at = message.rfind(kNearest);
    ASSERT_NE(at, std::string::npos) << message;
    EXPECT_NO_THROW(EXPECT_TRUE(runs(parse(message.substr(at + kNearest.size()))))) << message;
  }
}

TEST(Random, FuzzedTextsAreReadOrRefusedWithALegalForm) {
  Random random(6);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 20; ++i) {
      const std::string strategy = mutate(random_strategy(random), random);
      fuzz_one([](const std::string& t) { return parse_strategy(t); }, strategy);
      fuzz_one([](const std::string& t) { return parse_cell(t); },
               mutate("a:b,c=1 d:e=f dp2/accum:m=4 on mpi", random));
      fuzz_one([](const std::string& t) { return parse_workload(t); }, mutate("mlp:tiny,lr=0.1,batch=2", random));
      fuzz_one([](const std::string& t) { return parse_system(t); }, mutate("pytorch:env=a/b,x=1", random));
      fuzz_one([](const std::string& t) { return parse_fabric(t); }, mutate("virtual:ring,alpha=50us", random));
      fuzz_one([](const std::string& t) { return parse_quantity(t); }, mutate("25.125MiB", random));
      fuzz_one([](const std::string& t) { return parse_action(t); }, mutate("2SEND_F10", random));
      fuzz_one([](const std::string& t) { return parse_actions(t); }, mutate("2F0 2B0 0STEP", random));
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lockstep::text
