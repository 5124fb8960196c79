#include "reference_trainer/kernels/naive/executable.h"

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/naive/table.h"
#include "reference_trainer/kernels/operand.h"

namespace lockstep::kernels::naive {
namespace {

struct Bound {
  const graph::Op* op;
  std::vector<Operand> in, out;
};

template <class T>
class NaiveExecutable : public Executable {
 public:
  NaiveExecutable(const graph::Graph& graph, const CompileOptions& options)
      : graph_(graph), needs_(plain_buffers(graph_, options)) {
    for (int32_t i = 0; i < ops_to_run(graph_, options); ++i) {
      const graph::Op& op = graph_.ops[static_cast<size_t>(i)];
      ops_.push_back({&op, operands_of(graph_, op.in, options.batch), operands_of(graph_, op.out, options.batch)});
    }
  }

  const std::vector<BufferNeed>& buffers() const override { return needs_; }

  void bind(std::span<void* const> addresses) override {
    LOCKSTEP_INVARIANT(addresses.size() == needs_.size(), "{} addresses for {} buffers", addresses.size(),
                       needs_.size());
    for (Bound& bound : ops_) {
      for (auto* operands : {&bound.in, &bound.out}) {
        for (Operand& operand : *operands) operand.data = addresses[static_cast<size_t>(operand.id)];
      }
    }
  }

  void run(int32_t index, const StepContext& context) override {
    const Bound& bound = ops_[static_cast<size_t>(index)];
    kernel_for<T>(bound.op->kind)(Call<T>{*bound.op, bound.in, bound.out, context});
  }

 private:
  const graph::Graph graph_;  // own copy: operands point into it
  std::vector<BufferNeed> needs_;
  std::vector<Bound> ops_;
};

}  // namespace

std::unique_ptr<Executable> compile(const graph::Graph& graph, const CompileOptions& options) {
  if (options.precision == Precision::fp64) return std::make_unique<NaiveExecutable<double>>(graph, options);
  return std::make_unique<NaiveExecutable<float>>(graph, options);
}

}  // namespace lockstep::kernels::naive
