#include "reference_trainer/train/feed.h"

#include <algorithm>

namespace lockstep::train {

template <class Real>
Feed<Real>::Feed(const graph::Graph& graph, const workloads::Workload& workload, const workloads::SafetensorsFile& data,
                 const std::string& part)
    : inputs_(workload.inputs) {
  for (const workloads::InputSpec& input : inputs_) {
    const graph::TensorId tensor = graph.find(input.name);
    // A stage of a pipeline may read none of it.
    if (tensor != graph::kNoTensor && graph.tensor(tensor).role == graph::Role::input)
      sources_.push_back({tensor, &input, &workloads::array_of(data, part, input)});
  }
  const graph::TensorId ids = graph.find("sample_ids");
  if (ids != graph::kNoTensor && graph.tensor(ids).role == graph::Role::input) sample_ids_ = ids;
}

template <class Real>
void Feed<Real>::fill(const Engine<Real>& engine, const Bound& bound, std::span<const int64_t> ids) const {
  const auto batch = static_cast<int64_t>(ids.size());
  for (const Source& source : sources_) {
    if (source.input->type == workloads::InputSpec::Type::index) {
      workloads::gather(*source.input, *source.array, ids, engine.template input<int32_t>(bound, source.tensor, batch));
    } else {
      workloads::gather(*source.input, *source.array, ids, engine.template input<Real>(bound, source.tensor, batch));
    }
  }
  if (sample_ids_ == graph::kNoTensor) return;
  std::ranges::transform(ids, engine.template input<int32_t>(bound, sample_ids_, batch).begin(),
                         [](int64_t id) { return static_cast<int32_t>(id); });
}

template class Feed<float>;
template class Feed<double>;

}  // namespace lockstep::train
