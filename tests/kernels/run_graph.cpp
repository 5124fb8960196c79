#include "tests/kernels/run_graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "workloads/data/philox.h"

namespace lockstep::kernels::testing {
namespace {

using graph::Role;
using graph::TensorId;

constexpr size_t kAlign = 64;

void* aligned(std::vector<char>& memory) {
  const auto at = reinterpret_cast<uintptr_t>(memory.data());
  return reinterpret_cast<void*>((at + kAlign - 1) / kAlign * kAlign);
}

template <class T>
void store(const std::vector<double>& from, void* to) {
  std::transform(from.begin(), from.end(), static_cast<T*>(to), [](double v) { return static_cast<T>(v); });
}

template <class T>
std::vector<double> load(const void* from, int64_t count) {
  const T* at = static_cast<const T*>(from);
  return {at, at + count};
}

/// From u in [-1, 1): what a parameter with this Init could be.
double initial(const graph::Init& init, double u) {
  if (init.kind == "ones") return 1 + 0.1 * u;
  return init.kind == "zeros" ? 0.1 * u : init.scale * u;
}

}  // namespace

Values random_values(const CaseGraph& c, int64_t batch, uint64_t seed) {
  Values values;
  for (size_t t = 0; t < c.graph.tensors.size(); ++t) {
    const graph::Tensor& tensor = c.graph.tensors[t];
    if (tensor.role != Role::input && tensor.role != Role::parameter && tensor.role != Role::state) continue;
    const auto id = static_cast<TensorId>(t);
    std::vector<double>& v = values[id];
    for (int64_t i = 0; i < elements(tensor, batch); ++i) {
      const auto block = workloads::philox4x32({static_cast<uint32_t>(i), static_cast<uint32_t>(t), 0, 0},
                                               {static_cast<uint32_t>(seed), 0});
      const double unit = block[0] * 0x1p-32;
      const bool scaled = c.scaled && tensor.role == Role::parameter;
      const double signed_unit = static_cast<float>(scaled ? initial(tensor.init, 2 * unit - 1) : 2 * unit - 1);
      const double real = tensor.role == Role::state ? 0.5 + unit : signed_unit;
      v.push_back(tensor.type == graph::Type::index ? std::floor(unit * double(c.index_bound(id))) : real);
    }
  }
  return values;
}

Runner::Runner(const CaseGraph& c, const KernelSet& set, const CompileOptions& options)
    : case_(c), options_(options), executable_(set.compile(c.graph, options)) {
  const auto& needs = executable_->buffers();
  memory_.resize(needs.size());
  for (size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].alias >= 0) {
      addresses_.push_back(addresses_[static_cast<size_t>(needs[i].alias)]);
      continue;
    }
    memory_[i].resize(static_cast<size_t>(needs[i].bytes) + kAlign);
    addresses_.push_back(aligned(memory_[i]));
  }
  executable_->bind(addresses_);
}

void Runner::set(const Values& values) {
  for (const auto& [id, v] : values) {
    const size_t t = static_cast<size_t>(id);
    if (executable_->buffers()[t].bytes == 0) continue;
    if (case_.graph.tensors[t].type == graph::Type::index) {
      store<int32_t>(v, addresses_[t]);
    } else if (options_.precision == Precision::fp64) {
      store<double>(v, addresses_[t]);
    } else {
      store<float>(v, addresses_[t]);
    }
  }
}

bool Runner::lives_only_in_ops(size_t buffer) const {
  const BufferNeed& need = executable_->buffers()[buffer];
  if (need.alias >= 0 || need.bytes == 0) return false;
  if (need.tensor == graph::kNoTensor) return true;
  return case_.graph.tensor(need.tensor).role == Role::activation;
}

void Runner::poison(size_t buffer) {
  std::memset(addresses_[buffer], 0xFF, static_cast<size_t>(executable_->buffers()[buffer].bytes));
}

void Runner::run(const StepContext& context) {
  const auto& needs = executable_->buffers();
  const auto count = options_.training ? static_cast<int32_t>(case_.graph.ops.size()) : case_.graph.forward_ops;
  for (int32_t op = 0; op < count; ++op) {
    for (size_t b = 0; b < needs.size(); ++b) {
      if (needs[b].first_op == op && lives_only_in_ops(b)) poison(b);
    }
    executable_->run(op, context);
    for (size_t b = 0; b < needs.size(); ++b) {
      if (needs[b].last_op == op && lives_only_in_ops(b)) poison(b);
    }
  }
}

Values Runner::get() const {
  Values values;
  for (size_t t = 0; t < case_.graph.tensors.size(); ++t) {
    const graph::Tensor& tensor = case_.graph.tensors[t];
    const bool plain = tensor.role == Role::metric || tensor.role == Role::gradient || tensor.role == Role::state;
    if (!plain || executable_->buffers()[t].bytes == 0) continue;
    const int64_t count = elements(tensor, options_.batch);
    values[static_cast<TensorId>(t)] =
        options_.precision == Precision::fp64 ? load<double>(addresses_[t], count) : load<float>(addresses_[t], count);
  }
  return values;
}

double worst_difference(const Values& a, const Values& b) {
  double worst = 0;
  for (const auto& [id, expected] : b) {
    const auto found = a.find(id);
    if (found == a.end() || found->second.size() != expected.size()) return INFINITY;
    double scale = 1, difference = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      scale = std::max(scale, std::abs(expected[i]));
      const double d = std::abs(found->second[i] - expected[i]);
      difference = std::isnan(d) ? INFINITY : std::max(difference, d);
    }
    worst = std::max(worst, difference / scale);
  }
  return worst;
}

}  // namespace lockstep::kernels::testing
