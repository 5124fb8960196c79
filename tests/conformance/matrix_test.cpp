// Every pair of ways to split a model, on a small GPT: it trains as one rank does, or is refused. The table of what
// does which is docs/conformance.md, which this test compares with what it finds; LOCKSTEP_RENEW_DOCS=1 writes it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <span>
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

// Ways of other workloads, each beside all of the table above.
const Way kStaleWays[] = {
    {"stash", {"pp2"}, {"pipedream:weights=stash"}},
    {"vertical", {"pp2"}, {"pipedream:weights=vertical"}},
    {"2bw", {"pp2"}, {"pipedream:m=2,weights=2bw"}},
    {"predict", {"pp2"}, {"pipedream:weights=predict"}},
};
const Way kExpertWays[] = {{"ep", {"ep2"}, {}}};
const Way kImageWays[] = {
    {"h", {"h2"}, {}},
    {"w", {"w2"}, {}},
    {"filter", {"tp2"}, {"layout:filter"}},
    {"channel", {"tp2"}, {"layout:channel"}},
    {"one_weird_trick", {"dp2"}, {"layout:one_weird_trick"}},
    {"sfb", {"dp2"}, {"layout:sfb"}},
    {"stages:equal", {"pp2"}, {"stages:equal"}},
};
const Way kNormedWays[] = {{"sync_bn", {"dp2"}, {"sync_bn"}}, {"h, sync_bn", {"h2"}, {"sync_bn"}}};

std::string strategy_of(const Way& a, const Way& b) {
  std::vector<std::string> axes, passes;
  for (const char* axis : {"pp2", "dp2", "dp4", "ep2", "cp2", "h2", "w2", "tp2"}) {
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

/// A row a way: alone, and beside each of the large table.
std::string table_of(const Setting& setting, std::span<const Way> rows, std::vector<std::string>& apart) {
  std::string out = "|   | alone |";
  for (const Way& way : kWays) out += fmt::format(" {} |", way.name);
  out += "\n|---|---|";
  for (size_t i = 0; i < std::size(kWays); ++i) out += "---|";
  for (const Way& row : rows) {
    out += fmt::format("\n| {} | {} |", row.name, outcome(setting, strategy_of(row, row), apart));
    for (const Way& way : kWays) out += fmt::format(" {} |", outcome(setting, strategy_of(row, way), apart));
  }
  return out + "\n";
}

std::string pairs_page(const Setting& setting, std::vector<std::string>& apart) {
  std::string out =
      "# Pairs of ways to split a model\n\nA small GPT (`gpt-austen:micro` with 3 layers), 8 steps in fp64 on threads, "
      "against the serial run (with `amp` the serial run with `amp`): `=` losses, every gradient norm and the final "
      "parameters agree to 1e-10; `-` refused, "
      "for a reason that `lockstep strategies` or the error says (two schedules, two levels of sharding, "
      "microbatches twice, two tables of rules, shards of gradients that a table "
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
  return out + "\n";
}

TEST(Matrix, EveryPairIsEqualOrRefusedAsThePageSays) {
  std::string missing;
  const auto setting = setting_of("gpt-austen", {"layers=3", "steps=8", "warmup_steps=2", "width=8", "seq=8"}, missing);
  const auto untied = untied_setting_of(
      "gpt-austen",
      {"layers=3", "steps=8", "warmup_steps=2", "width=8", "seq=8", "optimizer=momentum", "lr=0.1", "clip=none"},
      missing);
  const auto experts = setting_of("moe-gpt", {"choices=2", "steps=8", "warmup_steps=2"}, missing);
  const auto images = setting_of("cnn-fashion", {"steps=6", "warmup_steps=2"}, missing);
  const auto normed = setting_of("resnet20", {"data=synthetic", "steps=4", "warmup_steps=2"}, missing);
  if (!setting || !experts || !images || !normed) GTEST_SKIP() << missing;
  std::vector<std::string> apart;
  std::string found = pairs_page(*setting, apart);
  found += "\n## Other workloads\n\n`ep` needs experts: `moe-gpt:micro` with two experts a token, 8 steps.\n\n";
  found += table_of(*experts, kExpertWays, apart);
  found +=
      "\nRows, columns, filters and channels of images, and what the tied weights of the GPT do not allow: "
      "`cnn-fashion:micro`, 6 steps.\n\n";
  found += table_of(*images, kImageWays, apart);
  found += "\nBatch norm over several ranks: `resnet20:micro`, 4 steps, since rounding grows in it.\n\n";
  found += table_of(*normed, kNormedWays, apart);
  found +=
      "\n## Without a flush\n\nThe rules of weights of `pipedream` on two stages, against the serial model of each "
      "in which every stage's stale weights are explicit; the GPT has a head of its own here, momentum and no "
      "clipping, since tied weights, clipping and shards are refused.\n\n";
  found += table_of(*untied, kStaleWays, apart);
  const std::string file = LOCKSTEP_SOURCE_DIR "/docs/conformance.md";
  if (std::getenv("LOCKSTEP_RENEW_DOCS")) std::ofstream(file) << found;
  std::ifstream in(file);
  std::stringstream committed;
  committed << in.rdbuf();
  EXPECT_EQ(found, committed.str()) << "LOCKSTEP_RENEW_DOCS=1 writes the page";
  EXPECT_THAT(apart, testing::IsEmpty());
}

}  // namespace
}  // namespace lockstep::conformance
