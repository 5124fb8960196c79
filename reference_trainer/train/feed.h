#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference_trainer/train/engine.h"
#include "workloads/data/batch.h"
#include "workloads/data/workload.h"

namespace lockstep::train {

/// Brings samples from the data file into a bound graph's inputs.
template <class Real>
class Feed {
 public:
  /// `part`: "train" or "test".
  Feed(const graph::Graph& graph, const workloads::Workload& workload, const workloads::SafetensorsFile& data,
       const std::string& part);

  /// Fills all inputs with the samples `ids`.
  void fill(const Engine<Real>& engine, const Bound& bound, std::span<const int64_t> ids) const;

 private:
  struct Source {
    graph::TensorId tensor;
    const workloads::InputSpec* input;
    const workloads::TensorView* array;
  };
  std::vector<workloads::InputSpec> inputs_;
  std::vector<Source> sources_;
  graph::TensorId sample_ids_ = graph::kNoTensor;  ///< of dropout
};

}  // namespace lockstep::train
