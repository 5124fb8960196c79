// The gradients of whole graphs against central differences of their loss, in fp64 on the naive kernels: fan-out adds,
// tied weights and what differentiation leaves out are right only if these numbers are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference_trainer/graph/fuse.h"
#include "reference_trainer/graph/gradients.h"
#include "tests/graph/small_graph.h"
#include "tests/kernels/run_graph.h"

namespace lockstep::graph {
namespace {

using kernels::testing::CaseGraph;
using kernels::testing::Runner;
using kernels::testing::Values;

constexpr int64_t kBatch = 3;
constexpr int64_t kIds = 7;  // of tokens, targets and labels

/// A transformer in small: tied weights, layer norm, residual adds (also of a tensor that three ops read), gelu, and
/// smooth everywhere, so that central differences are exact to about 1e-9.
const std::string kTransformer = R"(
  {"op": "embedding", "name": "e", "in": "tokens", "vocab": 7, "out": {"hidden": 8}, "init": {"kind": "normal", "scale": 0.5}},
  {"op": "positions", "name": "p", "in": "e"},
  {"op": "layer_norm", "name": "n", "in": "p"},
  {"op": "linear", "name": "qkv", "in": "n", "out": {"gate": 3, "heads": 2, "head_dim": 4}},
  {"op": "attention", "name": "a", "in": "qkv"},
  {"op": "linear", "name": "proj", "in": "a", "out": {"hidden": 8}},
  {"op": "add", "name": "r", "in": ["p", "proj"]},
  {"op": "linear", "name": "f", "in": "r", "out": {"ffn": 5}, "activation": "gelu"},
  {"op": "linear", "name": "g", "in": "f", "out": {"hidden": 8}},
  {"op": "add", "name": "s", "in": ["r", "g"]},
  {"op": "add", "name": "t", "in": ["s", "p"]},
  {"op": "linear", "name": "head", "in": "t", "out": {"vocab": 7}, "weight": "e.table"},
  {"op": "softmax_cross_entropy", "name": "loss", "in": ["head", "targets"]})";

const std::string kRecurrent = R"(
  {"op": "embedding", "name": "e", "in": "tokens", "vocab": 7, "out": {"hidden": 8}, "init": {"kind": "normal", "scale": 0.5}},
  {"op": "linear", "name": "gt", "in": "e", "out": {"gate": 4, "hidden": 8}},
  {"op": "lstm", "name": "l", "in": "gt"},
  {"op": "add", "name": "s", "in": ["e", "l"]},
  {"op": "dropout", "name": "d", "in": "s", "rate": 0.5},
  {"op": "linear", "name": "head", "in": "d", "out": {"vocab": 7}},
  {"op": "softmax_cross_entropy", "name": "loss", "in": ["head", "targets"]})";

const std::string kConvolution = R"(
  {"op": "conv2d", "name": "c", "in": "image", "out": {"chan_out": 4}, "kernel": 3, "pad": 1, "activation": "tanh"},
  {"op": "batch_norm", "name": "b", "in": "c"},
  {"op": "conv2d", "name": "c2", "in": "b", "out": {"chan_out": 4}, "kernel": 3, "pad": 1},
  {"op": "add", "name": "s", "in": ["b", "c2"]},
  {"op": "avg_pool", "name": "p", "in": "s", "kernel": 2},
  {"op": "linear", "name": "fc", "in": "p", "out": {"class": 7}},
  {"op": "softmax_cross_entropy", "name": "loss", "in": ["fc", "label"]})";

/// An image as a sequence: squares, class token, attention without a mask, and what cuts and joins axes; a response
/// norm.
const std::string kVision = R"(
  {"op": "conv2d", "name": "c", "in": "image", "out": {"chan_out": 4}, "kernel": 3, "pad": 1, "activation": "tanh"},
  {"op": "local_response_norm", "name": "r", "in": "c", "size": 3, "alpha": 0.3},
  {"op": "pad", "name": "wide", "in": "r", "axis": "chan_out", "begin": 1, "size": 6},
  {"op": "patches", "name": "p", "in": "wide", "size": 2},
  {"op": "linear", "name": "e", "in": "p", "out": {"hidden": 8}},
  {"op": "class_token", "name": "t", "in": "e", "init": {"kind": "normal", "scale": 0.5}},
  {"op": "linear", "name": "qkv", "in": "t", "out": {"gate": 3, "heads": 2, "head_dim": 4}},
  {"op": "attention", "name": "a", "in": "qkv", "causal": false},
  {"op": "linear", "name": "proj", "in": "a", "out": {"hidden": 8}},
  {"op": "join", "name": "j", "in": ["t", "proj", "t"], "axis": "hidden"},
  {"op": "narrow", "name": "n", "in": "j", "axis": "seq", "begin": 0, "size": 1},
  {"op": "reshape", "name": "s", "in": "n", "out": {"hidden": 24}},
  {"op": "linear", "name": "fc", "in": "s", "out": {"class": 7}},
  {"op": "softmax_cross_entropy", "name": "loss", "in": ["fc", "label"]})";

/// Two mixtures of experts in a row, with places for too few tokens; the losses that balance them add up. The first
/// routes part of a sequence at a time, the second two samples.
const std::string kMixtures = R"(
  {"op": "embedding", "name": "e", "in": "tokens", "vocab": 7, "out": {"hidden": 8}, "init": {"kind": "normal", "scale": 0.5}},
  {"op": "positions", "name": "p", "in": "e", "init": {"kind": "normal", "scale": 0.5}},
  {"op": "linear", "name": "m", "in": "p", "out": {"expert": 3}, "bias": false},
  {"op": "route", "name": "r", "in": "m", "capacity_factor": 0.8, "balance": 0.3},
  {"op": "dispatch", "name": "d", "in": ["p", "r"]},
  {"op": "expert_linear", "name": "f", "in": "d", "out": {"ffn": 4}, "activation": "gelu"},
  {"op": "expert_linear", "name": "g", "in": "f", "out": {"hidden": 8}},
  {"op": "combine", "name": "c", "in": ["g", "r"]},
  {"op": "add", "name": "s", "in": ["p", "c"]},
  {"op": "linear", "name": "m2", "in": "s", "out": {"expert": 4}},
  {"op": "route", "name": "r2", "in": "m2", "choices": 2, "routing_group": 10, "capacity_factor": 0.8},
  {"op": "dispatch", "name": "d2", "in": ["s", "r2"]},
  {"op": "expert_linear", "name": "f2", "in": "d2", "out": {"hidden": 8}, "bias": false},
  {"op": "combine", "name": "c2", "in": ["f2", "r2"]},
  {"op": "add", "name": "s2", "in": ["s", "c2"]},
  {"op": "linear", "name": "head", "in": "s2", "out": {"vocab": 7}},
  {"op": "softmax_cross_entropy", "name": "loss", "in": ["head", "targets"]})";

/// Tables and their pairs, and a loss of one logit.
const std::string kRecommendation = R"(
  {"op": "linear", "name": "m", "in": "vector", "out": {"hidden": 4}, "activation": "tanh"},
  {"op": "reshape", "name": "v", "in": "m", "out": {"table": 1, "hidden": 4}},
  {"op": "embedding_bag", "name": "b", "in": "ids", "rows": [4, 2, 9], "out": {"hidden": 4}, "init": {"kind": "normal", "scale": 0.5}},
  {"op": "join", "name": "all", "in": ["v", "b"], "axis": "table"},
  {"op": "pairwise_dot", "name": "dots", "in": "all"},
  {"op": "join", "name": "f", "in": ["m", "dots"], "axis": "hidden"},
  {"op": "linear", "name": "top", "in": "f", "out": {"class": 1}},
  {"op": "binary_cross_entropy", "name": "loss", "in": ["top", "label"]})";

CaseGraph graph_of(const std::string& ops, bool fuse) {
  CaseGraph c;
  c.scaled = true;
  c.graph = differentiate(build(testing::workload_text(ops)));
  if (fuse) c.graph = fuse_activations(std::move(c.graph));
  for (const Tensor& tensor : c.graph.tensors) c.bounds.push_back(tensor.type == Type::index ? kIds : 0);
  return c;
}

Values run(const CaseGraph& c, const Values& inputs) {
  Runner runner(c, kernels::kernel_set("naive", kernels::Precision::fp64),
                {.precision = kernels::Precision::fp64, .batch = kBatch});
  runner.set(inputs);
  runner.run({.step = 5, .loss_scale = 0.1, .seed = 3});
  return runner.get();
}

void expect_true_gradients(const CaseGraph& c) {
  constexpr double kStep = 1e-5;
  Values inputs = kernels::testing::random_values(c, kBatch, 1);
  const Values at = run(c, inputs);
  const std::vector<TensorId> gradients = parameter_gradients(c.graph);
  for (size_t p = 0; p < gradients.size(); ++p) {
    const std::vector<double>& gradient = at.at(gradients[p]);
    std::vector<double>& parameter = inputs.at(c.graph.parameters[p]);
    for (size_t i = 0; i < parameter.size(); i += std::max<size_t>(1, parameter.size() / 9)) {
      const double value = parameter[i];
      parameter[i] = value + kStep;
      const double above = run(c, inputs).at(c.graph.loss)[0];
      parameter[i] = value - kStep;
      const double below = run(c, inputs).at(c.graph.loss)[0];
      parameter[i] = value;
      EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-8)
          << c.graph.tensor(c.graph.parameters[p]).name << "[" << i << "]";
    }
  }
}

struct Named {
  const char* name;
  const std::string* ops;
};

class WholeGraph : public ::testing::TestWithParam<Named> {};

TEST_P(WholeGraph, GradientsAreCentralDifferences) { expect_true_gradients(graph_of(*GetParam().ops, false)); }

TEST_P(WholeGraph, FusionChangesNoNumber) {
  const CaseGraph plain = graph_of(*GetParam().ops, false), fused = graph_of(*GetParam().ops, true);
  const Values inputs = kernels::testing::random_values(plain, kBatch, 1);
  EXPECT_EQ(run(plain, inputs), run(fused, inputs));
}

INSTANTIATE_TEST_SUITE_P(Small, WholeGraph,
                         ::testing::Values(Named{"transformer", &kTransformer}, Named{"recurrent", &kRecurrent},
                                           Named{"convolution", &kConvolution}, Named{"vision", &kVision},
                                           Named{"mixtures", &kMixtures}, Named{"recommendation", &kRecommendation}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lockstep::graph
