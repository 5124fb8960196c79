#include "reference_trainer/train/engine.h"

#include <algorithm>

#include "adapters/contract/invariant.h"
#include "reference_trainer/plan/memory/arena.h"

namespace lockstep::train {
namespace {

using graph::Role;

/// Index of the buffer that a chain of aliases ends at.
size_t root_of(const std::vector<kernels::BufferNeed>& needs, size_t buffer) {
  while (needs[buffer].alias >= 0) buffer = static_cast<size_t>(needs[buffer].alias);
  return buffer;
}

bool in_arena(const graph::Graph& graph, const kernels::BufferNeed& need) {
  return need.tensor == graph::kNoTensor || graph.tensor(need.tensor).role == Role::activation;
}

/// The blocks of the arena: one a root, living as long as any of its aliases.
struct ArenaRequest {
  std::vector<size_t> buffers;
  std::vector<plan::Block> blocks;
};

ArenaRequest request_of(const graph::Graph& graph, const std::vector<kernels::BufferNeed>& needs) {
  ArenaRequest request;
  std::map<size_t, size_t> block_of;
  for (size_t i = 0; i < needs.size(); ++i) {
    const size_t root = root_of(needs, i);
    if (needs[i].bytes == 0 || !in_arena(graph, needs[root])) continue;
    const auto [entry, fresh] = block_of.try_emplace(root, request.blocks.size());
    if (fresh) {
      request.buffers.push_back(root);
      request.blocks.push_back({needs[i].bytes, needs[i].first_op, needs[i].last_op});
    }
    plan::Block& block = request.blocks[entry->second];
    block.bytes = std::max(block.bytes, needs[i].bytes);
    block.first = std::min(block.first, needs[i].first_op);
    block.last = std::max(block.last, needs[i].last_op);
  }
  return request;
}

}  // namespace

template <class Real>
Engine<Real>::Engine(size_t stage, const ModelState<Real>& state, EngineOptions options)
    : stage_(stage), graph_(state.plan().stages[stage].graph()), state_(state), options_(options) {}

template <class Real>
Bound& Engine<Real>::bound(int64_t batch, bool training, const BindTo<Real>& to) {
  const Key key{batch, training, to.parameters.data(), to.gradients.data(), to.memory};
  const auto found = bounds_.find(key);
  if (found != bounds_.end()) return found->second;
  Bound fresh;
  fresh.executable = options_.kernels->compile(graph_, {.precision = options_.precision,
                                                        .batch = batch,
                                                        .threads = options_.threads,
                                                        .training = training,
                                                        .weights_change = state_.plan().predicts()});
  fresh.addresses = place(*fresh.executable, key, to, fresh);
  fresh.executable->bind(fresh.addresses);
  return bounds_.emplace(key, std::move(fresh)).first->second;
}

template <class Real>
std::vector<void*> Engine<Real>::place(const kernels::Executable& executable, const Key& key, const BindTo<Real>& to,
                                       Bound& bound) {
  const auto& needs = executable.buffers();
  std::vector<void*> addresses(needs.size(), nullptr);
  for (size_t i = 0; i < graph_.tensors.size(); ++i) {
    const Role role = graph_.tensors[i].role;
    if (role == Role::activation) continue;
    // Of a sharded array no op reads a tensor in place.
    if ((role == Role::parameter || role == Role::gradient) && needs[i].bytes == 0) continue;
    // Inputs and metrics exist even where no op of this executable reads them: they are filled and read all the same.
    const int64_t plain = graph::bytes(graph_.tensors[i], key.batch, sizeof(Real));
    addresses[i] = persistent(static_cast<graph::TensorId>(i), std::max(plain, needs[i].bytes), to);
  }
  const ArenaRequest request = request_of(graph_, needs);
  const plan::Arena plan = plan::plan_arena(request.blocks);
  std::byte* base = arena(static_cast<size_t>(plan.bytes), key.memory);
  bound.arena_bytes = plan.bytes;
  for (size_t b = 0; b < request.buffers.size(); ++b) addresses[request.buffers[b]] = base + plan.offsets[b];
  for (size_t i = 0; i < needs.size(); ++i) {
    if (needs[i].alias < 0) continue;
    LOCKSTEP_INVARIANT(in_arena(graph_, needs[i]), "buffer {} is not an activation, but an alias", i);
    addresses[i] = addresses[root_of(needs, i)];
  }
  return addresses;
}

template <class Real>
void* Engine<Real>::persistent(graph::TensorId tensor, int64_t bytes, const BindTo<Real>& to) {
  const Role role = graph_.tensor(tensor).role;
  if (role == Role::state) return state_.state(stage_, tensor).data();
  if (role == Role::parameter || role == Role::gradient) {
    for (const plan::Slot& slot : state_.plan().slots) {
      if (slot.stage != stage_) continue;
      if (slot.parameter == tensor) return &to.parameters[static_cast<size_t>(slot.offset)];
      if (slot.gradient == tensor) return &to.gradients[static_cast<size_t>(slot.offset)];
    }
    LOCKSTEP_INVARIANT(false, "tensor {} has no slot", graph_.tensor(tensor).name);
  }
  blocks_.emplace_back(static_cast<size_t>(bytes));
  return blocks_.back().data();
}

template <class Real>
std::byte* Engine<Real>::arena(size_t bytes, int memory) {
  std::vector<MemoryBlock>& arenas = arenas_[memory];
  if (arenas.empty() || arenas.back().bytes() < bytes) arenas.emplace_back(bytes);
  return arenas.back().data();
}

template <class Real>
int64_t Engine<Real>::arena_bytes() const {
  int64_t bytes = 0;
  for (const auto& [memory, arenas] : arenas_) bytes += static_cast<int64_t>(arenas.back().bytes());
  return bytes;
}

template class Engine<float>;
template class Engine<double>;

}  // namespace lockstep::train
