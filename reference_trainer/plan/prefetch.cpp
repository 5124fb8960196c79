#include "reference_trainer/plan/prefetch.h"

#include <algorithm>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/zero.h"

namespace lockstep::plan {
namespace {

using graph::Op;
using graph::OpKind;

/// Ops [begin, end), with what begins gathers among them: after the first one as many as may be ahead, after each later
/// one the next.
void append_part(const std::vector<Op>& ops, int32_t begin, int32_t end, int ahead, std::vector<Op>& out) {
  std::vector<Op> begins;
  for (int32_t i = begin; i < end; ++i) {
    const Op& op = ops[static_cast<size_t>(i)];
    if (op.kind != OpKind::gather_shards) continue;
    begins.push_back(op);
    begins.back().name = "begin " + op.name;
    begins.back().out.clear();
  }
  size_t begun = 1, done = 0;
  for (int32_t i = begin; i < end; ++i) {
    out.push_back(ops[static_cast<size_t>(i)]);
    if (out.back().kind != OpKind::gather_shards) continue;
    ++done;
    for (; begun < std::min(begins.size(), done + static_cast<size_t>(ahead)); ++begun) out.push_back(begins[begun]);
  }
}

}  // namespace

int prefetch_of(const text::Strategy& strategy) {
  const text::Term* term = strategy.find_pass("prefetch");
  if (!term) return 0;
  if (zero_level(strategy) < 3) {
    throw Failure(
        "unsupported",
        fmt::format("{}: {} begins gathers of parameters ahead, but every rank keeps all of them at level {}; "
                    "take zero3, or leave it out",
                    text::print(strategy), text::print(*term), zero_level(strategy)));
  }
  return term->whole("", 1);
}

bool begins_gather(const Op& op) { return op.kind == OpKind::gather_shards && op.out.empty(); }

void begin_gathers_ahead(Plan& plan) {
  for (Stage& stage : plan.stages) {
    graph::Graph& graph = stage.local.graph;
    const std::vector<Op> ops = std::move(graph.ops);
    graph.ops.clear();
    append_part(ops, 0, graph.forward_ops, plan.prefetch, graph.ops);
    const int32_t forward = graph.forward_ops;
    graph.forward_ops = static_cast<int32_t>(graph.ops.size());
    append_part(ops, forward, stage.input_end, plan.prefetch, graph.ops);
    const int32_t input_end = stage.input_end;
    stage.input_end = static_cast<int32_t>(graph.ops.size());
    append_part(ops, input_end, static_cast<int32_t>(ops.size()), plan.prefetch, graph.ops);
  }
}

}  // namespace lockstep::plan
