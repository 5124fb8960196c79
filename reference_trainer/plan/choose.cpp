#include "reference_trainer/plan/choose.h"

#include <algorithm>
#include <cstdlib>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "reference_trainer/plan/expansions/expansions.h"
#include "reference_trainer/plan/lower.h"
#include "reference_trainer/plan/rules/rule_text.h"

namespace lockstep::plan {
namespace {

using graph::Loop;
using graph::Op;
using graph::OpLoops;

bool places_fit(Where where, Loop::Place place) {
  switch (where) {
    case Where::any:
      return true;
    case Where::plain:
      return place == Loop::plain;
    case Where::out:
      return place == Loop::out;
    case Where::in:
      return place == Loop::in;
  }
  return false;
}

/// A layer's ops and gradient ops are named by it: "fc1", "fc1.grad_weight".
bool is_of_layer(std::string_view name, std::string_view layer) {
  if (layer.ends_with('%')) return name.starts_with(layer.substr(0, layer.size() - 1));
  return layer.empty() || (name.starts_with(layer) && (name.size() == layer.size() || name[layer.size()] == '.'));
}

bool names(const LayoutRule& rule, const Op& op) {
  using graph::OpKind;
  const bool kind = rule.kind == OpKind::none || rule.kind == op.kind || rule.kind == graph::forward_of(op.kind);
  return kind && is_of_layer(op.name, rule.layer);
}

bool means(const LayoutRule& rule, const Loop& loop) {
  return rule.loop == loop.dim && places_fit(rule.where, loop.place);
}

/// A loss weighs the samples of its rank, which fed them and reports their sum: its samples stay where they are dealt.
bool weighs_samples(const Op& op) {
  const graph::OpKind kind = graph::forward_of(op.kind);
  return kind == graph::OpKind::softmax_cross_entropy || kind == graph::OpKind::binary_cross_entropy;
}

[[noreturn]] void refuse_whole(const Op& op, const Loop& loop, Axis axis, const Mesh& mesh) {
  std::string group = group_of_samples(op);
  if (!group.empty()) group = ": its " + group;
  throw Failure(
      "unsupported",
      fmt::format("{}{} would split the {} of {} \"{}\" over {} ranks, but that op needs it whole{}; {}run it as "
                  "serial, or take a workload without that op",
                  text::name(axis), mesh.size(axis), graph::name(loop.dim), graph::name(op.kind), op.name,
                  mesh.size(axis), group, expansion_of(op.kind, loop.dim) ? "add /sync_bn, " : ""));
}

[[noreturn]] void refuse_second_axis(const Op& op, const Loop& loop, Axis axis, Axis first, const Mesh& mesh) {
  throw Failure("unsupported",
                fmt::format("{}{} would split the {} of {} \"{}\", which {}{} splits already: that op reads its "
                            "neighbours' parts along one axis; leave the rule {}.{}.{} out",
                            text::name(axis), mesh.size(axis), graph::name(loop.dim), graph::name(op.kind), op.name,
                            text::name(first), mesh.size(first), text::name(axis), graph::name(loop.dim),
                            graph::name(graph::forward_of(op.kind))));
}

/// Only ops along a sequence know which positions of the whole their rank has: others take one run of them.
[[noreturn]] void refuse_two_pieces(const Op& op, const Loop& loop, Axis axis, const Mesh& mesh) {
  throw Failure("unsupported",
                fmt::format("{}{} would split the {} of {} \"{}\", but {} gives each rank two pieces, which only "
                            "sequences can lie in; name another axis in the rule {}.{}",
                            text::name(axis), mesh.size(axis), graph::name(loop.dim), graph::name(op.kind), op.name,
                            text::name(axis), text::name(axis), graph::name(loop.dim)));
}

/// Samples are dealt out once, before the first op; nothing deals those of a rank out again.
[[noreturn]] void refuse_samples(const Op& op, Axis axis, const Mesh& mesh) {
  throw Failure("unsupported",
                fmt::format("{}{} would split the batch of {} \"{}\", but samples are dealt out over {} and {} alone; "
                            "leave the rule out, or take dp{}",
                            text::name(axis), mesh.size(axis), graph::name(op.kind), op.name, text::name(Axis::dp),
                            text::name(Axis::ep), mesh.size(axis)));
}

/// Of p ranks each has every p-th sample, so of a group each has as many only where p divides it.
void refuse_uneven_groups(const Op& op, Axis axis, const Mesh& mesh) {
  const int64_t group = op.attr.norm_group;
  int64_t nearest = mesh.size(axis);
  if (group % nearest == 0) return;
  for (int64_t ranks = 2; ranks <= group; ++ranks) {
    const bool nearer = std::abs(ranks - mesh.size(axis)) <= std::abs(nearest - mesh.size(axis));
    if (group % ranks == 0 && (group % nearest != 0 || nearer)) nearest = ranks;
  }
  throw Failure(
      "unsupported",
      fmt::format("{}{} would split the batch of {} \"{}\" over {} ranks, but its {}, of which each rank must "
                  "have as many; the nearest that divides {} is {}{}",
                  text::name(axis), mesh.size(axis), graph::name(op.kind), op.name, mesh.size(axis),
                  group_of_samples(op), group, text::name(axis), nearest));
}

/// Whether an op makes each element of its first result from the same place of its operands (element-wise ops, norms,
/// pools): such an op may take the layout that its operand has.
bool keeps_places(const OpLoops& nest, size_t first_result) {
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    if (!nest.indexes(first_result, i)) return false;
  }
  return true;
}

}  // namespace

void refuse_unknown_layers(const graph::Graph& whole, std::span<const LayoutRule> rules) {
  for (const LayoutRule& rule : rules) {
    const auto known = [&](const Op& op) { return is_of_layer(op.name, rule.layer); };
    if (std::ranges::any_of(whole.ops, known)) continue;
    std::vector<std::string> layers;
    for (int32_t i = 0; i < whole.forward_ops; ++i) layers.push_back(whole.ops[static_cast<size_t>(i)].name);
    throw Failure("unsupported", fmt::format("layout rule {}: this workload has no layer \"{}\"; the nearest is \"{}\"",
                                             print(rule), rule.layer, nearest(rule.layer, layers)));
  }
}

LoopSplits Chooser::choose(const Op& op, const OpLoops& nest, const LayoutOf& layout_of) {
  LoopSplits splits(nest.loops.size());
  std::vector<Axis> placed;
  if (weighs_samples(op)) deal_samples(op, nest, splits, placed);
  for (const LayoutRule& rule : rules_) {
    if (!rule.otherwise) choose_by(rule, op, nest, splits, placed);
  }
  if (keeps_places(nest, op.in.size())) follow(op, nest, layout_of, splits, placed);
  for (const LayoutRule& rule : rules_) {
    if (rule.otherwise) choose_by(rule, op, nest, splits, placed);
  }
  refuse_gathered_groups(op, splits);
  return splits;
}

void Chooser::choose_by(const LayoutRule& rule, const Op& op, const OpLoops& nest, LoopSplits& splits,
                        std::vector<Axis>& placed) {
  if (contains(placed, rule.axis) || !names(rule, op)) return;
  size_t loop = 0;
  while (!rule.stays_whole && loop < nest.loops.size()) {
    const bool too_short = rule.where_it_fits && nest.loops[loop].size < mesh_.size(rule.axis);
    if (means(rule, nest.loops[loop]) && !too_short) break;
    ++loop;
  }
  if (loop == nest.loops.size()) return;
  if (!rule.stays_whole) place(op, nest, splits, loop, rule.axis, rule.synchronizes);
  placed.push_back(rule.axis);
  // Any op's samples can be dealt out: experts are what an expert-parallel axis is for, and a table's other rules
  // what it is for.
  const bool deals = rule.axis == Axis::ep && rule.loop == graph::Dim::batch;
  if (!deals && !rule.otherwise) used_.push_back(rule.axis);
  synchronized_ |= rule.synchronizes;
}

void Chooser::place(const Op& op, const OpLoops& nest, LoopSplits& splits, size_t loop, Axis axis,
                    bool synchronizes) const {
  const Loop& it = nest.loops[loop];
  const bool halo = it.kind == Loop::window && nest.wide >= 0;
  const Expansion* expansion = expansion_of(op.kind, it.dim);
  const bool expands = expansion != nullptr && (synchronizes || !expansion->where_asked);
  if (it.kind != Loop::map && !halo && !expands) refuse_whole(op, it, axis, mesh_);
  const bool along_one_axis = it.kind == Loop::window || (it.kind == Loop::whole && expansion->one_axis);
  if (along_one_axis && !splits[loop].empty()) refuse_second_axis(op, it, axis, splits[loop].front(), mesh_);
  if (it.dim == graph::Dim::batch && !deals_samples(axis)) refuse_samples(op, axis, mesh_);
  const bool is_sequence = it.dim == graph::Dim::seq || it.dim == graph::Dim::kv_seq;
  if (axis == Axis::cp && !is_sequence) refuse_two_pieces(op, it, axis, mesh_);
  if (synchronizes && it.dim == graph::Dim::batch) refuse_uneven_groups(op, axis, mesh_);
  splits[loop].push_back(axis);
}

void Chooser::deal_samples(const Op& op, const OpLoops& nest, LoopSplits& splits, std::vector<Axis>& placed) const {
  for (Axis axis : kSampleAxes) {
    if (mesh_.size(axis) == 1) continue;
    place(op, nest, splits, 0, axis, false);
    placed.push_back(axis);
  }
}

/// Where the samples of several ranks are gathered they lie rank by rank, each rank's with its padding behind them:
/// no order in which groups of consecutive samples could be found, and slots of experts count those of one rank.
void Chooser::refuse_gathered_groups(const Op& op, const LoopSplits& splits) const {
  std::string group = group_of_samples(op);
  const graph::OpKind kind = graph::forward_of(op.kind);
  if (kind == graph::OpKind::dispatch || kind == graph::OpKind::combine) group = "slots count the samples of a rank";
  if (group.empty()) return;
  for (Axis axis : kSampleAxes) {
    if (mesh_.size(axis) == 1 || contains(splits.front(), axis)) continue;
    throw Failure("unsupported",
                  fmt::format("the layout gathers the samples of {} ranks of {} for {} \"{}\", which takes groups of "
                              "them in their order: its {}; add the rule {}.batch.{}",
                              mesh_.size(axis), text::name(axis), graph::name(op.kind), op.name, group,
                              text::name(axis), graph::name(graph::forward_of(op.kind))));
  }
}

/// Of the operands that all loops index, the first that backward did not make: in a gradient op that is what forward
/// kept, and its layout the one that forward chose.
void Chooser::follow(const Op& op, const OpLoops& nest, const LayoutOf& layout_of, LoopSplits& splits,
                     std::vector<Axis>& placed) const {
  int leader = -1;
  for (size_t k = 0; k < op.in.size(); ++k) {
    if (nest.operands[k] != nest.operands[op.in.size()] || layout_of(op.in[k]) == nullptr) continue;
    const bool kept = whole_.tensor(op.in[k]).of == graph::kNoTensor;
    if (leader < 0 || kept) leader = static_cast<int>(k);
    if (kept) break;
  }
  if (leader < 0) return;
  const auto operand = static_cast<size_t>(leader);
  const Layout& layout = *layout_of(op.in[operand]);
  const std::vector<Axis> by_rules = placed;
  for (size_t i = 0; i < layout.split.size(); ++i) {
    const int8_t loop = nest.operands[operand][i];
    if (loop < 0 || nest.loops[static_cast<size_t>(loop)].kind != Loop::map) continue;
    for (Axis axis : layout.split[i]) {
      if (contains(by_rules, axis)) continue;
      splits[static_cast<size_t>(loop)].push_back(axis);
      placed.push_back(axis);
    }
  }
}

void Chooser::refuse_idle_rules() const {
  const bool wants = std::ranges::any_of(rules_, [](const LayoutRule& rule) { return rule.synchronizes; });
  if (wants && !synchronized_)
    throw Failure("unsupported", "sync_bn has nothing to do: no op takes statistics over samples; leave it out");
  for (const text::MeshAxis& entry : mesh_.axes()) {
    if (entry.size == 1 || entry.axis == Axis::pp || contains(used_, entry.axis)) continue;
    const std::string instead =
        entry.axis == Axis::dp ? "leave the layout out" : fmt::format("take dp{} instead", entry.size);
    throw Failure("unsupported",
                  fmt::format("{}{} splits nothing in this workload: none of its ops has a loop that the rules of {} "
                              "name; {}",
                              text::name(entry.axis), entry.size, text::name(entry.axis), instead));
  }
}

}  // namespace lockstep::plan
