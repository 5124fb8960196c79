#pragma once

#include <string>
#include <vector>

#include "reference_trainer/comm/run_ranks.h"
#include "reference_trainer/train/evaluator.h"
#include "reference_trainer/train/trainer.h"
#include "tests/conformance/training_run.h"

namespace lockstep::train {

using conformance::Setting;

/// Everything that a rank needs to train a workload, from its files.
template <class Real>
class Rank {
 public:
  Rank(const Setting& setting, const std::string& strategy, comm::Transport& transport)
      : plan_(plan::make_plan(setting.graph(), text::parse_strategy(strategy), {sizeof(Real), true, transport.rank()})),
        data_(setting.data()),
        order_(setting.order()),
        communicator_(transport),
        trainer(plan_, setting.workload(), data_, communicator_, options()),
        evaluator(trainer, setting.workload(), data_, options().engine) {
    trainer.state().load_parameters(workloads::SafetensorsFile(setting.init()));
  }

  /// A stretch of one step.
  StepResult step(int64_t s) {
    begin(s, s + 1);
    return trainer.step();
  }
  void begin(int64_t from, int64_t to) {
    trainer.begin({from, to, [this](int64_t s) {
                     const auto offsets = order_.at("offsets").values<int64_t>();
                     const auto first = static_cast<size_t>(offsets[static_cast<size_t>(s)]),
                                last = static_cast<size_t>(offsets[static_cast<size_t>(s) + 1]);
                     return order_.at("indices").values<int64_t>().subspan(first, last - first);
                   }});
  }
  comm::Communicator& communicator() { return communicator_; }

 private:
  static TrainerOptions options() {
    const auto precision = sizeof(Real) == 8 ? kernels::Precision::fp64 : kernels::Precision::fp32;
    return {{&kernels::kernel_set("naive", precision), precision, 1}, nullptr, 1};
  }
  plan::Plan plan_;
  workloads::SafetensorsFile data_, order_;
  comm::Communicator communicator_;

 public:
  Trainer<Real> trainer;
  Evaluator<Real> evaluator;
};

/// mlp-digits on synthetic data: needs no package.
inline Setting small_setting(std::vector<std::string> arguments) {
  arguments.push_back("data=synthetic");
  return {"mlp-digits", "micro", arguments};
}

}  // namespace lockstep::train
