// Every pair of ways to split a model, on a small GPT: it trains as one rank does, or is refused. The table of what
// does which is docs/conformance.md, which this test compares with what it finds; LOCKSTEP_RENEW_DOCS=1 writes it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/terms/check.h"
#include "tests/conformance/stale_model.h"
#include "tests/conformance/training_run.h"

namespace lockstep::conformance {
namespace {

/// A way to split: the mesh axes it needs, and its terms.
struct Way {
  const char* name;
  std::vector<std::string> axes;
  std::vector<std::string> passes;
};

const Way kWays[] = {
    {"dp", {"dp2"}, {}},
    {"tp", {"tp2"}, {}},
    {"sp", {"tp2"}, {"sp"}},
    {"cp", {"cp2"}, {}},
    {"one_weird_trick", {"dp2"}, {"layout:one_weird_trick"}},
    {"sfb", {"dp2"}, {"layout:sfb"}},
    {"grid15d", {"dp2", "tp2"}, {"layout:grid15d"}},
    {"gpipe", {"pp2"}, {"gpipe:m=2"}},
    {"1f1b", {"pp2"}, {"1f1b:m=4"}},
    {"interleaved", {"pp2"}, {"interleaved:m=2,v=2"}},
    {"zb_h1", {"pp2"}, {"zb_h1:m=3"}},
    {"zb_h2", {"pp2"}, {"zb_h2:m=3"}},
    {"arrival", {"pp2"}, {"arrival:m=3"}},
    {"gems", {"pp2"}, {"gems:m=2"}},
    {"chimera", {"pp2"}, {"chimera:m=2"}},
    {"zero1", {"dp2"}, {"zero1"}},
    {"zero2", {"dp2"}, {"zero2"}},
    {"zero3", {"dp2"}, {"zero3"}},
    {"hsdp", {"dp4"}, {"hsdp:group=2"}},
    {"prefetch", {"dp2"}, {"zero3", "prefetch:1"}},
    {"offload", {}, {"offload:disk"}},
    {"recompute", {}, {"recompute:full"}},
    {"partition_activations", {"tp2"}, {"recompute:full", "partition_activations"}},
    {"accum", {}, {"accum:m=2"}},
    {"amp", {}, {"amp:bf16"}},
    {"bucket", {"dp2"}, {"bucket:1kB"}},
};

const Way kExpertParallel = {"ep", {"ep2"}, {}};

std::string strategy_of(const Way& a, const Way& b) {
  std::vector<std::string> axes, passes;
  for (const char* axis : {"pp2", "dp2", "dp4", "ep2", "cp2", "tp2"}) {
    const auto wants = [&](const Way& way) { return std::ranges::find(way.axes, axis) != way.axes.end(); };
    if (wants(a) || wants(b)) axes.emplace_back(axis);
    if (axes.size() > 1 && axes.back() == "dp4" && axes[axes.size() - 2] == "dp2") axes.erase(axes.end() - 2);
  }
  passes = a.passes;
  for (const std::string& pass : b.passes) {
    if (std::ranges::find(passes, pass) == passes.end()) passes.push_back(pass);
  }
  const std::string mesh = axes.empty() ? "serial" : fmt::format("{}", fmt::join(axes, "."));
  return passes.empty() ? mesh : fmt::format("{}/{}", mesh, fmt::join(passes, "/"));
}

/// "=", "-" where it is refused, or how far it is from the serial run, or from the serial model of stale weights.
std::string outcome(const Setting& setting, const std::string& strategy, std::vector<std::string>& apart_ones) {
  try {
    const text::Strategy parsed = text::parse_strategy(strategy);
    if (!terms::check(parsed).empty()) return "-";
    const TrainingRun run = setting.train_on_threads<double>(strategy, "naive");
    const TrainingRun expected =
        terms::equals_serial(parsed) ? setting.serial_run(strategy) : train_stale_model(setting, strategy);
    const double apart =
        std::max({largest_loss_difference(expected, run), largest_norm_difference(expected, run),
                  largest_difference(expected, run,
                                     setting.workload().recipe.lr * static_cast<double>(setting.workload().steps))});
    if (apart < kBound) return "=";
    apart_ones.push_back(strategy);
    return fmt::format("{:.0e}", apart);
  } catch (const Failure& failure) {
    if (failure.kind() != "unsupported" && failure.kind() != "usage") throw;
    return "-";
  }
}

const Way kStaleWays[] = {
    {"stash", {"pp2"}, {"pipedream:weights=stash"}},
    {"vertical", {"pp2"}, {"pipedream:weights=vertical"}},
    {"2bw", {"pp2"}, {"pipedream:m=2,weights=2bw"}},
    {"predict", {"pp2"}, {"pipedream:weights=predict"}},
};

std::string stale_page(const Setting& setting, std::vector<std::string>& apart) {
  std::string out =
      "\n## Without a flush\n\nThe rules of weights of `pipedream` on two stages, alone and beside the others, against "
      "the serial model of each in which every stage's stale weights are explicit; the GPT has a head of its own here, "
      "momentum and no clipping, since tied weights, clipping and shards are refused.\n\n|   | alone |";
  for (const Way& way : kWays) out += fmt::format(" {} |", way.name);
  out += "\n|---|---|";
  for (size_t i = 0; i < std::size(kWays); ++i) out += "---|";
  for (const Way& rule : kStaleWays) {
    out += fmt::format("\n| {} | {} |", rule.name, outcome(setting, strategy_of(rule, rule), apart));
    for (const Way& way : kWays) out += fmt::format(" {} |", outcome(setting, strategy_of(rule, way), apart));
  }
  return out + "\n";
}

/// A column of cells, or a row: each way of the table beside the expert-parallel one.
std::string experts_table(const Setting& setting, std::vector<std::string>& apart) {
  std::string heads = "|   | ep |", rule = "|---|---|", cells = "| ep |";
  cells += fmt::format(" {} |", outcome(setting, strategy_of(kExpertParallel, kExpertParallel), apart));
  for (const Way& way : kWays) {
    heads += fmt::format(" {} |", way.name), rule += "---|";
    cells += fmt::format(" {} |", outcome(setting, strategy_of(kExpertParallel, way), apart));
  }
  return fmt::format("{}\n{}\n{}\n", heads, rule, cells);
}

std::string page(const Setting& setting, const Setting& experts, std::vector<std::string>& apart) {
  std::string out =
      "# Pairs of ways to split a model\n\nA small GPT (`gpt-austen:micro` with 3 layers), 8 steps in fp64 on threads, "
      "against the serial run (with `amp` the serial run with `amp`): `=` losses, every gradient norm and the final "
      "parameters agree to 1e-10; `-` refused, "
      "for a reason that `lockstep strategies` or the error says (two schedules, two levels of sharding, shards of "
      "parameters that several stages hold, microbatches twice, two tables of rules, shards of gradients that a table "
      "leaves whole, tied weights whose gradients it lets lie differently on their stages). The diagonal is each way "
      "alone. A test makes this "
      "table and compares it with what it finds.\n\n|   |";
  for (const Way& way : kWays) out += fmt::format(" {} |", way.name);
  out += "\n|---|";
  for (size_t i = 0; i < std::size(kWays); ++i) out += "---|";
  for (const Way& a : kWays) {
    out += fmt::format("\n| {} |", a.name);
    for (const Way& b : kWays)
      out += &b > &a ? "  |" : fmt::format(" {} |", outcome(setting, strategy_of(a, b), apart));
  }
  out += "\n\n`ep` needs experts: the same of `moe-gpt:micro` with two experts a token.\n\n";
  return out + experts_table(experts, apart);
}

TEST(Matrix, EveryPairIsEqualOrRefusedAsThePageSays) {
  std::string missing;
  const auto setting = setting_of("gpt-austen", {"layers=3", "steps=8", "warmup_steps=2", "width=8", "seq=8"}, missing);
  const auto untied = untied_setting_of(
      "gpt-austen",
      {"layers=3", "steps=8", "warmup_steps=2", "width=8", "seq=8", "optimizer=momentum", "lr=0.1", "clip=none"},
      missing);
  const auto experts = setting_of("moe-gpt", {"choices=2", "steps=8", "warmup_steps=2"}, missing);
  if (!setting || !experts) GTEST_SKIP() << missing;
  std::vector<std::string> apart;
  const std::string found = page(*setting, *experts, apart) + stale_page(*untied, apart),
                    file = LOCKSTEP_SOURCE_DIR "/docs/conformance.md";
  if (std::getenv("LOCKSTEP_RENEW_DOCS")) std::ofstream(file) << found;
  std::ifstream in(file);
  std::stringstream committed;
  committed << in.rdbuf();
  EXPECT_EQ(found, committed.str()) << "LOCKSTEP_RENEW_DOCS=1 writes the page";
  EXPECT_THAT(apart, testing::IsEmpty());
}

}  // namespace
}  // namespace lockstep::conformance
