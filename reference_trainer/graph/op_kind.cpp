#include "reference_trainer/graph/op_kind.h"

#include <array>

namespace lockstep::graph {
namespace {

constexpr std::array<std::string_view, 36> kKindNames = {"none",
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
                                                     "dropout_grad"};
static_assert(static_cast<size_t>(OpKind::dropout_grad) + 1 == kKindNames.size());

}  // namespace

std::string_view name(OpKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

}  // namespace lockstep::graph
