#include "reference_trainer/graph/op_kind.h"

#include <algorithm>
#include <array>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"

namespace lockstep::graph {
namespace {

constexpr std::array<std::string_view, 81> kKindNames = {"none",
                                                         "linear",
                                                         "linear_grad_input",
                                                         "linear_grad_weight",
                                                         "conv2d",
                                                         "conv2d_grad_input",
                                                         "conv2d_grad_weight",
                                                         "max_pool",
                                                         "max_pool_grad",
                                                         "avg_pool",
                                                         "avg_pool_grad",
                                                         "batch_norm",
                                                         "batch_norm_grad",
                                                         "layer_norm",
                                                         "layer_norm_grad",
                                                         "relu",
                                                         "relu_grad",
                                                         "gelu",
                                                         "gelu_grad",
                                                         "tanh",
                                                         "tanh_grad",
                                                         "embedding",
                                                         "embedding_grad",
                                                         "positions",
                                                         "positions_grad",
                                                         "attention",
                                                         "attention_grad",
                                                         "lstm",
                                                         "lstm_grad_input",
                                                         "lstm_grad_weight",
                                                         "softmax_cross_entropy",
                                                         "softmax_cross_entropy_grad",
                                                         "add",
                                                         "reshape",
                                                         "dropout",
                                                         "dropout_grad",
                                                         "narrow",
                                                         "pad",
                                                         "join",
                                                         "local_response_norm",
                                                         "local_response_norm_grad",
                                                         "patches",
                                                         "patches_grad",
                                                         "class_token",
                                                         "class_token_grad",
                                                         "select_positions",
                                                         "select_positions_grad",
                                                         "route",
                                                         "route_grad",
                                                         "load_balance",
                                                         "load_balance_grad",
                                                         "dispatch",
                                                         "dispatch_grad",
                                                         "combine",
                                                         "combine_grad",
                                                         "expert_linear",
                                                         "expert_linear_grad_input",
                                                         "expert_linear_grad_weight",
                                                         "embedding_bag",
                                                         "embedding_bag_grad",
                                                         "pairwise_dot",
                                                         "pairwise_dot_grad",
                                                         "binary_cross_entropy",
                                                         "binary_cross_entropy_grad",
                                                         "exchange",
                                                         "gather_shards",
                                                         "scatter_shards",
                                                         "send",
                                                         "receive",
                                                         "block_attention",
                                                         "block_attention_total",
                                                         "attention_delta",
                                                         "block_attention_grad",
                                                         "cross_entropy_max",
                                                         "cross_entropy_sums",
                                                         "cross_entropy_total",
                                                         "batch_norm_sums",
                                                         "batch_norm_total",
                                                         "batch_norm_grad_sums",
                                                         "batch_norm_grad_total",
                                                         "cast"};
static_assert(static_cast<size_t>(OpKind::cast) + 1 == kKindNames.size());

}  // namespace

std::string_view name(OpKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

OpKind kind_named(std::string_view text) {
  const auto found = std::ranges::find(kKindNames, text);
  if (found != kKindNames.end()) return static_cast<OpKind>(found - kKindNames.begin());
  throw Failure("usage", fmt::format("no op is called \"{}\"; the nearest is \"{}\"", text, nearest(text, kKindNames)));
}

OpKind forward_of(OpKind kind) {
  const std::string_view own = name(kind), forward = own.substr(0, own.find("_grad"));
  return static_cast<OpKind>(std::ranges::find(kKindNames, forward) - kKindNames.begin());
}

}  // namespace lockstep::graph
