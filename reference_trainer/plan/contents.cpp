#include "reference_trainer/plan/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace lockstep::plan {
namespace {

std::string_view prefix_of(std::string_view op) {
  const size_t dot = op.find('.');
  return dot == std::string_view::npos ? std::string_view() : op.substr(0, dot);
}

/// Forward ops that read parameters, by name, with the first parameter that each reads.
std::vector<std::pair<std::string_view, graph::TensorId>> readers(const graph::Graph& whole) {
  std::vector<std::pair<std::string_view, graph::TensorId>> out;
  for (int32_t i = 0; i < whole.forward_ops; ++i) {
    const graph::Op& op = whole.ops[static_cast<size_t>(i)];
    const auto parameter = std::ranges::find_if(
        op.in, [&](graph::TensorId id) { return whole.tensor(id).role == graph::Role::parameter; });
    if (parameter != op.in.end()) out.emplace_back(op.name, *parameter);
  }
  return out;
}

std::string layers(int first, int last) {
  return first == last ? fmt::format("layer {}", first) : fmt::format("layers {}-{}", first, last);
}

}  // namespace

int layer_of(const graph::Graph& whole, std::string_view op) {
  int count = 0;
  std::string_view last;
  for (const auto& [name, parameter] : readers(whole)) {
    const std::string_view prefix = prefix_of(name);
    if (prefix.empty() || prefix == last) continue;
    if (prefix == prefix_of(op)) return count;
    last = prefix, ++count;
  }
  return -1;
}

std::string contents_of(const Plan& plan) {
  std::set<std::string_view> here;
  for (const Stage& stage : plan.stages) {
    for (int32_t i = 0; i < stage.graph().forward_ops; ++i) here.insert(stage.graph().ops[static_cast<size_t>(i)].name);
  }
  const auto all = readers(plan.whole);
  std::map<graph::TensorId, int> reads;
  std::map<int, std::pair<int, int>> of_layer;  ///< ops of a layer here, and in all
  for (const auto& [name, parameter] : all) {
    ++reads[parameter];
    auto& [mine, total] = of_layer[layer_of(plan.whole, name)];
    mine += here.contains(name) ? 1 : 0, ++total;
  }
  std::vector<std::string> parts;
  int first = -1, last = -1;
  const auto close = [&] {
    if (first >= 0) parts.push_back(layers(first, last));
    first = -1;
  };
  for (const auto& [name, parameter] : all) {
    if (!here.contains(name)) continue;
    const int layer = layer_of(plan.whole, name);
    const auto [mine, total] = of_layer[layer];
    if (layer >= 0 && mine == total) {
      if (first >= 0 && layer > last + 1) close();
      if (first < 0) first = layer;
      last = layer;
      continue;
    }
    close();
    std::string text = layer >= 0 ? fmt::format("part of layer {}", layer) : std::string(name);
    if (layer < 0 && reads[parameter] > 1) text += " (tied)";
    if (parts.empty() || parts.back() != text) parts.push_back(std::move(text));
  }
  close();
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace lockstep::plan
