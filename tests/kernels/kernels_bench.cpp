// Times what the tests have checked: one training step (or the ops of one case) on each kernel set in one thread.
//   kernels_bench --benchmark_filter=onednn/model
#include <benchmark/benchmark.h>

#include "reference_trainer/kernels/update.h"
#include "tests/kernels/model_cases.h"
#include "tests/kernels/op_cases.h"
#include "tests/kernels/run_graph.h"

namespace lockstep::kernels::testing {
namespace {

void run_case(benchmark::State& state, const OpCase& row, const KernelSet& set) {
  const CaseGraph c = row.make();
  Runner runner(c, set, {.batch = row.batch});
  runner.set(random_values(c, row.batch, 3));
  runner.run({.loss_scale = 1.0 / static_cast<double>(row.batch)});
  const auto ops = static_cast<int32_t>(c.graph.ops.size());
  for (auto _ : state) {
    for (int32_t op = 0; op < ops; ++op) runner.executable().run(op, {});
  }
}

/// An op that does next to nothing: what is left is the cost of run().
void overhead(benchmark::State& state, const KernelSet& set) {
  OpCase trivial;
  for (OpCase& row : op_cases()) {
    if (row.name == "add_1") trivial = row;
  }
  run_case(state, trivial, set);
}

void adamw_of_a_million(benchmark::State& state) {
  std::vector<float> w(1 << 20), g(w), m(w), v(w);
  for (auto _ : state) {
    adamw(w.data(), g.data(), m.data(), v.data(), static_cast<int64_t>(w.size()), 1e-3, 0.9, 0.99, 1e-8, 0.1, 1, 1);
  }
}

void register_all() {
  std::vector<OpCase> cases = op_cases();
  for (OpCase& row : chain_cases()) cases.push_back(row);
  for (const char* id : {"mlp-digits", "mlp-fashion", "cnn-fashion", "gpt-austen", "lstm-austen"}) {
    for (const char* preset : {"tiny", "desk"}) cases.push_back(model_case(id, preset));
  }
  for (const KernelSet& set : kernel_sets()) {
    for (const OpCase& row : cases) {
      const std::string name = std::string(set.name) + "/" + row.name;
      benchmark::RegisterBenchmark(name.c_str(), [=, &set](benchmark::State& state) { run_case(state, row, set); });
    }
    benchmark::RegisterBenchmark((std::string(set.name) + "/overhead").c_str(),
                                 [&set](benchmark::State& state) { overhead(state, set); });
  }
  benchmark::RegisterBenchmark("update/adamw_1M", adamw_of_a_million);
}

}  // namespace
}  // namespace lockstep::kernels::testing

int main(int argc, char** argv) {
  lockstep::kernels::testing::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
