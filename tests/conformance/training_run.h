#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "reference_trainer/comm/transport.h"
#include "reference_trainer/train/trainer.h"
#include "workloads/data/workload.h"

namespace lockstep::conformance {

/// What a run leaves behind, as every rank sees it.
struct TrainingRun {
  std::vector<double> losses;                ///< mean over the global batch, by step
  std::vector<train::Norms> gradient_norms;  ///< reduced, before clipping, by step
  double dropped = 0;                        ///< choices of experts that found no place, in all
  std::vector<double> parameters;            ///< whole ones, one after the other, at the end; on the first rank alone
};

inline constexpr int64_t kWholeRun = 1 << 30;

/// A workload of the project's own folder with its data, order and initial weights written to a temporary folder.
class Setting {
 public:
  Setting(const std::string& id, const std::string& preset, const std::vector<std::string>& arguments);
  /// One that a test has changed; its `text` must tell it from others, since files are named by it.
  explicit Setting(workloads::Workload workload);

  const workloads::Workload& workload() const { return workload_; }
  graph::Graph graph() const;
  const std::filesystem::path& data() const { return data_; }
  const std::filesystem::path& order() const { return order_; }
  const std::filesystem::path& init() const { return init_; }

  /// Trains the whole workload as one rank of `strategy`; all ranks of the transport call this. `stretch`: after so
  /// many steps a pipeline without a flush is drained.
  template <class Real>
  TrainingRun train(const std::string& strategy, comm::Transport& transport, const std::string& kernels,
                    int64_t stretch = kWholeRun) const;

  /// The same with one thread a rank; rank 0's view.
  template <class Real>
  TrainingRun train_on_threads(const std::string& strategy, const std::string& kernels,
                               int64_t stretch = kWholeRun) const;

  /// The serial run that does the same work as a strategy, in fp64 on the oracle's kernels, made once a process.
  const TrainingRun& serial_run(const std::string& strategy = "serial") const;

 private:
  workloads::Workload workload_;
  std::filesystem::path folder_, data_, order_, init_;
};

/// nullptr when the workload's data are missing; `missing` then says so.
std::unique_ptr<Setting> setting_of(const std::string& workload, const std::vector<std::string>& arguments,
                                    std::string& missing);

/// The same with a head of its own where the workload ties it to the embedding.
std::unique_ptr<Setting> untied_setting_of(const std::string& workload, const std::vector<std::string>& arguments,
                                           std::string& missing);

/// What runs that do equal work in fp64 may differ by.
inline constexpr double kBound = 1e-10;

/// A folder under the system's temporary one that this process shares among its tests; gone with the process.
std::filesystem::path shared_folder();

/// Largest |a - b| / max(|a|, lr x steps) over the parameters; 0 where a rank has none of them.
double largest_difference(const TrainingRun& a, const TrainingRun& b, double lr_times_steps);

/// Largest relative difference of losses, and of gradient norms against max(own norm, 1e-6 x global norm).
double largest_loss_difference(const TrainingRun& a, const TrainingRun& b);
double largest_norm_difference(const TrainingRun& a, const TrainingRun& b);

}  // namespace lockstep::conformance
