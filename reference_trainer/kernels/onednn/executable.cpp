#include "reference_trainer/kernels/onednn/executable.h"

#include <omp.h>

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/onednn/compiler.h"

namespace lockstep::kernels::onednn {
namespace {

/// oneDNN takes its number of threads from OpenMP's setting of the calling thread.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~ThreadCount() { omp_set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

class OnednnExecutable : public Executable {
 public:
  OnednnExecutable(Compiled compiled, int threads) : compiled_(std::move(compiled)), threads_(threads) {}

  const std::vector<BufferNeed>& buffers() const override { return compiled_.needs; }

  void bind(std::span<void* const> addresses) override {
    LOCKSTEP_INVARIANT(addresses.size() == compiled_.needs.size(), "{} addresses for {} buffers", addresses.size(),
                       compiled_.needs.size());
    compiled_.addresses->assign(addresses.begin(), addresses.end());
    for (const auto& primitive : compiled_.primitives) primitive->bind();
  }

  void run(int32_t index, const StepContext& context) override {
    const ThreadCount threads(threads_);
    for (const Step& step : compiled_.steps[static_cast<size_t>(index)]) step(context);
  }

 private:
  Compiled compiled_;
  int threads_;
};

}  // namespace

std::unique_ptr<Executable> compile(const graph::Graph& graph, const CompileOptions& options) {
  const ThreadCount threads(options.threads);
  return std::make_unique<OnednnExecutable>(Compiler(graph, options).compile(), options.threads);
}

}  // namespace lockstep::kernels::onednn
