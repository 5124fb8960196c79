#include "tests/conformance/training_run.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "reference_trainer/comm/run_ranks.h"
#include "reference_trainer/graph/build.h"
#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/train/checkpoint.h"
#include "workloads/data/dataset.h"
#include "workloads/data/initial.h"
#include "workloads/data/order.h"

namespace lockstep::conformance {
namespace {

/// What these ranks count adds up: they have different samples, or different layers.
const std::vector<plan::Axis> kSampleAxes = {plan::Axis::dp, plan::Axis::ep, plan::Axis::pp};

std::filesystem::path write_initial(const workloads::Workload& workload, const graph::Graph& graph,
                                    const std::filesystem::path& folder) {
  std::vector<std::vector<float>> values;
  std::vector<workloads::TensorView> tensors;
  for (graph::TensorId id : graph.parameters) {
    const graph::Tensor& tensor = graph.tensor(id);
    std::vector<int64_t> sizes;
    for (const graph::Extent& extent : tensor.shape) sizes.push_back(extent.size);
    values.emplace_back(static_cast<size_t>(elements(tensor, 1)));
    workloads::fill_initial(tensor.init.kind, tensor.init.scale, workload.recipe.seed, tensor.name, values.back());
    tensors.push_back(workloads::view<float>(tensor.name, sizes, std::span<const float>(values.back())));
  }
  std::string name = workload.text + ".init.safetensors";
  std::ranges::replace(name, '/', '_');
  const auto file = folder / name;
  workloads::write_safetensors(file, tensors);
  return file;
}

}  // namespace

std::filesystem::path shared_folder() {
  struct Folder {
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code ignored;  // a folder that stays behind is no failure of a test
      std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("lockstep-conformance-" + std::to_string(getpid()));
  };
  static const Folder folder;
  return folder.path;
}

Setting::Setting(const std::string& id, const std::string& preset, const std::vector<std::string>& arguments)
    : Setting(workloads::resolve(std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "workloads", id, preset, arguments)) {}

Setting::Setting(workloads::Workload workload)
    : workload_(std::move(workload)),
      folder_(shared_folder()),
      data_(workloads::write_dataset(workload_, folder_)),
      order_(workloads::write_order(workload_, folder_)),
      init_(write_initial(workload_, graph(), folder_)) {}

graph::Graph Setting::graph() const { return graph::build(workload_.json()); }

template <class Real>
TrainingRun Setting::train(const std::string& strategy, comm::Transport& transport, const std::string& kernels,
                           int64_t stretch) const {
  plan::PlanOptions plan_options;
  plan_options.real_bytes = sizeof(Real);
  plan_options.rank = transport.rank();
  const plan::Plan plan = plan::make_plan(graph(), text::parse_strategy(strategy), plan_options);
  const workloads::SafetensorsFile data(data_), order(order_), init(init_);
  const auto indices = order.at("indices").values<int64_t>(), offsets = order.at("offsets").values<int64_t>();
  const auto precision = sizeof(Real) == 8 ? kernels::Precision::fp64 : kernels::Precision::fp32;
  comm::Communicator communicator(transport);
  train::TrainerOptions options{{&kernels::kernel_set(kernels, precision), precision, 1}, nullptr, 1};
  train::Trainer<Real> trainer(plan, workload_, data, communicator, options);
  trainer.state().load_parameters(init);

  TrainingRun run;
  const auto ids = [&](int64_t step) {
    const auto begin = static_cast<size_t>(offsets[static_cast<size_t>(step)]),
               end = static_cast<size_t>(offsets[static_cast<size_t>(step) + 1]);
    return indices.subspan(begin, end - begin);
  };
  for (int64_t step = 0; step < workload_.steps; ++step) {
    if (trainer.stretch_is_over()) trainer.begin({step, std::min(step + stretch, workload_.steps), ids});
    run.gradient_norms.emplace_back();
    const train::StepResult result = trainer.step(&run.gradient_norms.back());
    const double part = result.loss * static_cast<double>(result.loss_positions);
    const double sum = trainer.groups().over(kSampleAxes).reduce_value(part, comm::Reduce::sum, "loss");
    run.dropped += trainer.groups()
                       .over(kSampleAxes)
                       .reduce_value(static_cast<double>(result.dropped), comm::Reduce::sum, "dropped choices");
    run.losses.push_back(sum /
                         static_cast<double>(static_cast<int64_t>(ids(step).size()) * plan.whole.positions_per_sample));
  }
  const auto file = folder_ / fmt::format("after {}.safetensors", transport.rank());
  train::save_checkpoint(file, trainer, workload_.steps);
  if (transport.rank() == 0) {
    const workloads::SafetensorsFile after(file);
    for (graph::TensorId id : plan.whole.parameters) {
      const auto values = after.at(plan.whole.tensor(id).name).values<Real>();
      run.parameters.insert(run.parameters.end(), values.begin(), values.end());
    }
  }
  communicator.barrier("end of training");
  return run;
}

template <class Real>
TrainingRun Setting::train_on_threads(const std::string& strategy, const std::string& kernels, int64_t stretch) const {
  TrainingRun first;
  std::mutex mutex;
  const int ranks = text::ranks(text::parse_strategy(strategy));
  comm::run_ranks(ranks, [&](comm::Transport& transport) {
    TrainingRun run = train<Real>(strategy, transport, kernels, stretch);
    const std::lock_guard lock(mutex);
    if (transport.rank() == 0) first = std::move(run);
  });
  return first;
}

const TrainingRun& Setting::serial_run(const std::string& strategy) const {
  static std::map<std::pair<std::string, std::string>, TrainingRun> runs;
  const std::string serial = text::print(terms::serial_of(text::parse_strategy(strategy)));
  const auto found = runs.find({workload_.text, serial});
  if (found != runs.end()) return found->second;
  return runs.emplace(std::pair(workload_.text, serial), train_on_threads<double>(serial, "naive")).first->second;
}

std::unique_ptr<Setting> setting_of(const std::string& workload, const std::vector<std::string>& arguments,
                                    std::string& missing) {
  try {
    return std::make_unique<Setting>(workload, "micro", arguments);
  } catch (const Failure& failure) {
    if (failure.kind() != "data_missing") throw;
    missing = failure.what();
    return nullptr;
  }
}

std::unique_ptr<Setting> untied_setting_of(const std::string& workload, const std::vector<std::string>& arguments,
                                           std::string& missing) {
  const auto tied = setting_of(workload, arguments, missing);
  if (!tied) return nullptr;
  workloads::Workload changed = tied->workload();
  auto graph = nlohmann::ordered_json::parse(changed.graph);
  for (auto& op : graph) {
    if (op.value("weight", "") == "embed.table") op.erase("weight");
  }
  changed.graph = graph.dump();
  changed.text += ",untied";
  return std::make_unique<Setting>(std::move(changed));
}

double largest_difference(const TrainingRun& a, const TrainingRun& b, double lr_times_steps) {
  double largest = 0;
  for (size_t i = 0; i < std::min(a.parameters.size(), b.parameters.size()); ++i) {
    largest = std::max(
        largest, std::abs(a.parameters[i] - b.parameters[i]) / std::max(std::abs(a.parameters[i]), lr_times_steps));
  }
  return largest;
}

double largest_loss_difference(const TrainingRun& a, const TrainingRun& b) {
  double largest = 0;
  for (size_t i = 0; i < a.losses.size(); ++i)
    largest = std::max(largest, std::abs(a.losses[i] - b.losses[i]) / std::abs(a.losses[i]));
  return largest;
}

double largest_norm_difference(const TrainingRun& a, const TrainingRun& b) {
  double largest = 0;
  for (size_t i = 0; i < a.gradient_norms.size(); ++i) {
    double global = 0;
    for (const auto& [name, norm] : a.gradient_norms[i]) global += norm * norm;
    for (const auto& [name, norm] : a.gradient_norms[i]) {
      const double scale = std::max(norm, 1e-6 * std::sqrt(global));
      largest = std::max(largest, std::abs(norm - b.gradient_norms[i].at(name)) / scale);
    }
  }
  return largest;
}

template TrainingRun Setting::train<float>(const std::string&, comm::Transport&, const std::string&, int64_t) const;
template TrainingRun Setting::train<double>(const std::string&, comm::Transport&, const std::string&, int64_t) const;
template TrainingRun Setting::train_on_threads<float>(const std::string&, const std::string&, int64_t) const;
template TrainingRun Setting::train_on_threads<double>(const std::string&, const std::string&, int64_t) const;

}  // namespace lockstep::conformance
