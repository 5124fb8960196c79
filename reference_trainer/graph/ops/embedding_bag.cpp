// embedding_bag: of each sample and table the sum of the rows that its ids name (Naumov et al. 2019). The tables lie
// one after the other in one parameter; parts of it are whole tables. An id counts modulo its table's rows, so that any
// number of ids fits a table of any size (feature hashing: Weinberger et al. 2009).
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace embedding_bag {

enum : int8_t { kBatch, kTable, kHidden };
const std::vector<int8_t> kIds = {kBatch, kTable, -1}, kTables = {kTable, kHidden}, kPooled = {kBatch, kTable, kHidden};

OpLoops forward_loops(const Graph& graph, const Op& op) {
  return {loops_over(graph.tensor(op.out[0]).shape), {kIds, kTables, kPooled}};
}
OpLoops gradient_loops(const Graph& graph, const Op& op) {
  return {loops_over(graph.tensor(op.in[1]).shape), {kIds, kPooled, kTables}};
}

/// An addition a number of each row that an id names.
int64_t flops(const Graph& graph, const Op& op, int64_t batch) {
  const bool gradient = op.kind == OpKind::embedding_bag_grad;
  return elements(graph.tensor(op.in[0]), batch) * graph.tensor(gradient ? op.out[0] : op.in[1]).shape[1].size;
}

/// The rows of the first tables of the entry's list, none with more than "max_rows".
std::vector<int64_t> rows_of_tables(const Builder& builder, const OpSpec& spec, int64_t tables) {
  const auto listed = spec.lists.find("rows");
  std::vector<int64_t> rows = listed == spec.lists.end() ? std::vector<int64_t>{} : listed->second;
  if (static_cast<int64_t>(rows.size()) < tables || std::ranges::any_of(rows, [](int64_t n) { return n < 1; })) {
    builder.refuse(spec, fmt::format("\"rows\" lists {} tables, each of at least 1 row; its input has ids of {}",
                                     rows.size(), tables));
  }
  rows.resize(static_cast<size_t>(tables));
  const auto most = static_cast<int64_t>(spec.number("max_rows", 0));
  for (int64_t& n : rows) n = most > 0 ? std::min(n, most) : n;
  return rows;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId ids = builder.named(spec, 0);
  const Shape in = builder.shape(ids);
  if (builder.graph.tensor(ids).type != Type::index || in.size() != 3 || in[1].dim != Dim::table) {
    builder.refuse(spec, "its input must be an index tensor [batch, table, a dim of ids], it is " + describe(in));
  }
  if (spec.out.size() != 1) builder.refuse(spec, "it needs \"out\" with the one dim of its rows");
  const std::vector<int64_t> rows = rows_of_tables(builder, spec, in[1].size);
  const int64_t all = std::accumulate(rows.begin(), rows.end(), int64_t{0});
  const TensorId tables = builder.parameter(spec.name + ".tables", {{Dim::vocab, all}, spec.out[0]},
                                            spec.init.value_or(Init{"normal", 0.02}));
  builder.graph.tensors[static_cast<size_t>(tables)].blocks = rows;
  const TensorId y = builder.activation(spec.name, {in[0], in[1], spec.out[0]});
  builder.add({OpKind::embedding_bag, spec.name, {ids, tables}, {y}, {}});
  builder.finish(spec, y);
}

void differentiate(Gradients& gradients, const Op& op) {
  const TensorId dtables = gradients.make(op.in[1]);
  gradients.add({OpKind::embedding_bag_grad, op.name + ".grad", {op.in[0], gradients.of(op.out[0])}, {dtables}, {}});
  gradients.contribute(op.in[1], dtables);
}

constexpr OpRow kRows[] = {
    {OpKind::embedding_bag, forward_loops, flops, build, differentiate, "rows max_rows out init"},
    {OpKind::embedding_bag_grad, gradient_loops, flops, nullptr, nullptr},
};

}  // namespace embedding_bag

std::span<const OpRow> embedding_bag_rows() { return embedding_bag::kRows; }

}  // namespace lockstep::graph::ops
