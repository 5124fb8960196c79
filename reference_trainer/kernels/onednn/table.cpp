#include "reference_trainer/kernels/onednn/table.h"

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/onednn/ops.h"

namespace lockstep::kernels::onednn {
namespace {

using graph::OpKind;

struct Row {
  OpKind kind;
  CompileOp compile;
};

/// In the order of OpKind.
constexpr Row kTable[] = {
    {OpKind::none, nullptr},
    {OpKind::linear, linear},
    {OpKind::linear_grad_input, linear_grad_input},
    {OpKind::linear_grad_weight, linear_grad_weight},
    {OpKind::conv2d, conv2d},
    {OpKind::conv2d_grad_input, conv2d_grad_input},
    {OpKind::conv2d_grad_weight, conv2d_grad_weight},
    {OpKind::max_pool, pool},
    {OpKind::max_pool_grad, pool_grad},
    {OpKind::avg_pool, pool},
    {OpKind::avg_pool_grad, pool_grad},
    {OpKind::batch_norm, batch_norm},
    {OpKind::batch_norm_grad, batch_norm_grad},
    {OpKind::layer_norm, layer_norm},
    {OpKind::layer_norm_grad, layer_norm_grad},
    {OpKind::relu, unary},
    {OpKind::relu_grad, binary},
    {OpKind::gelu, unary},
    {OpKind::gelu_grad, binary},
    {OpKind::tanh, unary},
    {OpKind::tanh_grad, binary},
    {OpKind::embedding, embedding},
    {OpKind::embedding_grad, embedding_grad},
    {OpKind::positions, positions},
    {OpKind::positions_grad, positions_grad},
    {OpKind::attention, attention},
    {OpKind::attention_grad, attention_grad},
    {OpKind::lstm, lstm},
    {OpKind::lstm_grad_input, lstm_grad_input},
    {OpKind::lstm_grad_weight, lstm_grad_weight},
    {OpKind::softmax_cross_entropy, softmax_cross_entropy},
    {OpKind::softmax_cross_entropy_grad, softmax_cross_entropy_grad},
    {OpKind::add, binary},
    {OpKind::reshape, reshape},
    {OpKind::dropout, dropout},
    {OpKind::dropout_grad, dropout},
    {OpKind::narrow, narrow},
    {OpKind::pad, pad},
    {OpKind::join, join},
    {OpKind::local_response_norm, local_response_norm},
    {OpKind::local_response_norm_grad, local_response_norm_grad},
    {OpKind::patches, patches},
    {OpKind::patches_grad, patches_grad},
    {OpKind::class_token, class_token},
    {OpKind::class_token_grad, class_token_grad},
    {OpKind::select_positions, select_positions},
    {OpKind::select_positions_grad, select_positions_grad},
    {OpKind::route, route},
    {OpKind::route_grad, route_grad},
    {OpKind::load_balance, load_balance},
    {OpKind::load_balance_grad, load_balance_grad},
    {OpKind::dispatch, dispatch},
    {OpKind::dispatch_grad, dispatch_grad},
    {OpKind::combine, combine},
    {OpKind::combine_grad, combine_grad},
    {OpKind::expert_linear, expert_linear},
    {OpKind::expert_linear_grad_input, expert_linear_grad_input},
    {OpKind::expert_linear_grad_weight, expert_linear_grad_weight},
    {OpKind::embedding_bag, embedding_bag},
    {OpKind::embedding_bag_grad, embedding_bag_grad},
    {OpKind::pairwise_dot, pairwise_dot},
    {OpKind::pairwise_dot_grad, pairwise_dot_grad},
    {OpKind::binary_cross_entropy, binary_cross_entropy},
    {OpKind::binary_cross_entropy_grad, binary_cross_entropy_grad},
    {OpKind::exchange, exchange},
    {OpKind::gather_shards, exchange},
    {OpKind::scatter_shards, exchange},
    {OpKind::send, exchange},
    {OpKind::receive, exchange},
    {OpKind::block_attention, block_attention},
    {OpKind::block_attention_total, block_attention_total},
    {OpKind::attention_delta, attention_delta},
    {OpKind::block_attention_grad, block_attention_grad},
    {OpKind::cross_entropy_max, cross_entropy_max},
    {OpKind::cross_entropy_sums, cross_entropy_sums},
    {OpKind::cross_entropy_total, cross_entropy_total},
    {OpKind::batch_norm_sums, batch_norm_sums},
    {OpKind::batch_norm_total, batch_norm_total},
    {OpKind::batch_norm_grad_sums, batch_norm_grad_sums},
    {OpKind::batch_norm_grad_total, batch_norm_grad_total},
    {OpKind::cast, cast},
};

}  // namespace

CompileOp compiler_of(OpKind kind) {
  const Row& row = kTable[static_cast<size_t>(kind)];
  LOCKSTEP_INVARIANT(row.kind == kind && row.compile != nullptr, "no oneDNN kernel for op kind {}",
                     static_cast<int>(kind));
  return row.compile;
}

}  // namespace lockstep::kernels::onednn
