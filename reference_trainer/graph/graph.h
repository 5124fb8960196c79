#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference_trainer/graph/dim.h"
#include "reference_trainer/graph/op_kind.h"

namespace lockstep::graph {

/// Index of a tensor in its graph.
using TensorId = int32_t;
inline constexpr TensorId kNoTensor = -1;

/// `real` is fp32 or fp64 as the run's precision says; `index` is int32. `bf16` (8 bits of exponent, 8 of precision)
/// and `fp16` (IEEE 754 binary16) are how numbers lie in memory between ops: no op but `cast` computes with them.
enum class Type : uint8_t { real, index, bf16, fp16 };

std::string_view name(Type type);

constexpr bool is_16_bit(Type type) { return type == Type::bf16 || type == Type::fp16; }

/// Bytes of one number, with `real_bytes` (4 or 8) a real one.
constexpr int64_t bytes_of(Type type, int64_t real_bytes) {
  return type == Type::real ? real_bytes : type == Type::index ? 4 : 2;
}

enum class Role : uint8_t {
  input,       ///< bound anew for each microbatch
  parameter,   ///< trained; persistent
  state,       ///< persistent, not trained (running statistics of batch norm)
  activation,  ///< lives from its producer to its last reader, forward or backward
  gradient,    ///< of a parameter: summed over microbatches and ranks
  metric,      ///< one real number summed over samples: the loss, the count of right predictions
};

/// How a parameter gets its first values: normal N(0, scale^2), uniform U(-scale, scale), zeros, ones.
struct Init {
  std::string kind = "zeros";
  double scale = 0;
};

/// Positions [begin, end) along an axis.
struct Interval {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};

/// Which part of a tensor a rank holds: of each axis the intervals, in the order in which they lie in memory (none of
/// the batch axis, whose share is bound when it runs). Without axes it is all of the tensor.
struct Part {
  Shape whole;
  std::vector<std::vector<Interval>> axes;

  bool is_whole() const { return axes.empty(); }
};

struct Tensor {
  std::string name;
  Shape shape;
  Type type = Type::real;
  Role role = Role::activation;
  Init init;                ///< of parameters
  TensorId of = kNoTensor;  ///< of a gradient or of an activation's gradient: the tensor it belongs to
  Part part = {};           ///< set by lowering, where a rank holds a part
  /// Sizes of the pieces of the first axis, in the whole, that no part may cut (embedding tables); empty: any cut will
  /// do.
  std::vector<int64_t> blocks = {};
};

/// What an op needs besides its tensors. Plain data: only the fields that the op's own page names have a meaning.
struct Attributes {
  int64_t kernel_h = 0, kernel_w = 0, stride_h = 1, stride_w = 1;  // windows
  int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  double epsilon = 1e-5;   // norms
  double momentum = 0.1;   // batch norm's running statistics
  int64_t norm_group = 0;  // samples per statistic; 0: the whole batch
  double rate = 0;         // dropout
  bool has_bias = false;   // linear, conv2d: a third input, and a second output of the weight gradient
  int32_t axis = -1;       // narrow, pad, join
  int64_t begin = 0;       // narrow, pad
  int64_t window = 0;      // local_response_norm: channels that are summed, the own one in the middle
  double alpha = 0, exponent = 0, offset = 0;  // local_response_norm: offset is the paper's k
  bool causal = true;                          // attention: a position sees those up to itself
  int64_t routing_group = 0;                   // route, load_balance: tokens that share capacity and auxiliary loss
  int64_t capacity = 0;                        // route: places that an expert has for each sample
  double weight = 0;                           // load_balance
  int32_t exchange = -1;                       // exchange: which of the plan's exchanges
  bool in_place = false;                       // exchange: y may be over x
  OpKind activation =
      OpKind::none;  // linear, conv2d: fused after the bias (relu, tanh: those whose gradient needs only y)
};

/// One operation. The order of `in` and `out` is given beside each kind in op_kind.h.
struct Op {
  OpKind kind = OpKind::none;
  std::string name;
  std::vector<TensorId> in, out;
  Attributes attr;
};

/// A static graph: ops in an order in which they can run. The first `forward_ops` compute loss and metrics; what
/// follows (after differentiation) computes the gradients of the parameters.
struct Graph {
  std::vector<Tensor> tensors;
  std::vector<Op> ops;
  int32_t forward_ops = 0;
  TensorId loss = kNoTensor;         ///< sum over this rank's positions, times StepContext::loss_scale
  TensorId correct = kNoTensor;      ///< count of right predictions among this rank's positions
  std::vector<TensorId> dropped;     ///< of each route op, how many choices of tokens found their expert full
  std::vector<TensorId> parameters;  ///< in the order in which the forward ops use them
  int64_t positions_per_sample = 1;  ///< predictions a sample (tokens for a language model)

  const Tensor& tensor(TensorId id) const { return tensors[static_cast<size_t>(id)]; }
  TensorId find(std::string_view name) const;  ///< kNoTensor when there is none
};

/// Elements of a shape with `batch` samples a rank.
int64_t elements(const Shape& shape, int64_t batch);
inline int64_t elements(const Tensor& tensor, int64_t batch) { return elements(tensor.shape, batch); }

/// Position in the whole tensor of index `index` of an axis of a rank's part.
int64_t whole_index(const Tensor& tensor, size_t axis, int64_t index);

/// Of each element of one sample of a rank's part its index in the whole sample; empty when the part is the whole.
std::vector<int64_t> whole_elements(const graph::Tensor& tensor);

/// Elements of one whole sample.
int64_t whole_count(const graph::Tensor& tensor);

/// Bytes of a tensor with `batch` samples a rank.
inline int64_t bytes(const Tensor& tensor, int64_t batch, int64_t real_bytes) {
  return elements(tensor, batch) * bytes_of(tensor.type, real_bytes);
}

/// True when the first axis is the batch.
bool has_batch(const Shape& shape);

/// Parameters in all, as numbers.
int64_t parameter_count(const Graph& graph);

}  // namespace lockstep::graph
