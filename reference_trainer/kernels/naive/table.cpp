#include "reference_trainer/kernels/naive/table.h"

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/naive/attention.h"
#include "reference_trainer/kernels/naive/block_attention.h"
#include "reference_trainer/kernels/naive/cast.h"
#include "reference_trainer/kernels/naive/conv2d.h"
#include "reference_trainer/kernels/naive/cut.h"
#include "reference_trainer/kernels/naive/embedding.h"
#include "reference_trainer/kernels/naive/exchange.h"
#include "reference_trainer/kernels/naive/experts.h"
#include "reference_trainer/kernels/naive/linear.h"
#include "reference_trainer/kernels/naive/local_response_norm.h"
#include "reference_trainer/kernels/naive/loss.h"
#include "reference_trainer/kernels/naive/lstm.h"
#include "reference_trainer/kernels/naive/norm.h"
#include "reference_trainer/kernels/naive/patches.h"
#include "reference_trainer/kernels/naive/pointwise.h"
#include "reference_trainer/kernels/naive/pool.h"
#include "reference_trainer/kernels/naive/recommend.h"
#include "reference_trainer/kernels/naive/route.h"
#include "reference_trainer/kernels/naive/select_positions.h"
#include "reference_trainer/kernels/naive/split_norm.h"

namespace lockstep::kernels::naive {
namespace {

using graph::OpKind;

template <class T>
struct Row {
  OpKind kind;
  Kernel<T> kernel;
};

/// In the order of OpKind.
template <class T>
constexpr Row<T> kTable[] = {
    {OpKind::none, nullptr},
    {OpKind::linear, linear<T>},
    {OpKind::linear_grad_input, linear_grad_input<T>},
    {OpKind::linear_grad_weight, linear_grad_weight<T>},
    {OpKind::conv2d, conv2d<T>},
    {OpKind::conv2d_grad_input, conv2d_grad_input<T>},
    {OpKind::conv2d_grad_weight, conv2d_grad_weight<T>},
    {OpKind::max_pool, max_pool<T>},
    {OpKind::max_pool_grad, max_pool_grad<T>},
    {OpKind::avg_pool, avg_pool<T>},
    {OpKind::avg_pool_grad, avg_pool_grad<T>},
    {OpKind::batch_norm, batch_norm<T>},
    {OpKind::batch_norm_grad, batch_norm_grad<T>},
    {OpKind::layer_norm, layer_norm<T>},
    {OpKind::layer_norm_grad, layer_norm_grad<T>},
    {OpKind::relu, relu<T>},
    {OpKind::relu_grad, relu_grad<T>},
    {OpKind::gelu, gelu<T>},
    {OpKind::gelu_grad, gelu_grad<T>},
    {OpKind::tanh, tanh<T>},
    {OpKind::tanh_grad, tanh_grad<T>},
    {OpKind::embedding, embedding<T>},
    {OpKind::embedding_grad, embedding_grad<T>},
    {OpKind::positions, positions<T>},
    {OpKind::positions_grad, positions_grad<T>},
    {OpKind::attention, attention<T>},
    {OpKind::attention_grad, attention_grad<T>},
    {OpKind::lstm, lstm<T>},
    {OpKind::lstm_grad_input, lstm_grad_input<T>},
    {OpKind::lstm_grad_weight, lstm_grad_weight<T>},
    {OpKind::softmax_cross_entropy, softmax_cross_entropy<T>},
    {OpKind::softmax_cross_entropy_grad, softmax_cross_entropy_grad<T>},
    {OpKind::add, add<T>},
    {OpKind::reshape, reshape<T>},
    {OpKind::dropout, dropout<T>},
    {OpKind::dropout_grad, dropout<T>},
    {OpKind::narrow, narrow<T>},
    {OpKind::pad, pad<T>},
    {OpKind::join, join<T>},
    {OpKind::local_response_norm, local_response_norm<T>},
    {OpKind::local_response_norm_grad, local_response_norm_grad<T>},
    {OpKind::patches, patches<T>},
    {OpKind::patches_grad, patches_grad<T>},
    {OpKind::class_token, class_token<T>},
    {OpKind::class_token_grad, class_token_grad<T>},
    {OpKind::select_positions, select_positions<T>},
    {OpKind::select_positions_grad, select_positions_grad<T>},
    {OpKind::route, route<T>},
    {OpKind::route_grad, route_grad<T>},
    {OpKind::load_balance, load_balance<T>},
    {OpKind::load_balance_grad, load_balance_grad<T>},
    {OpKind::dispatch, dispatch<T>},
    {OpKind::dispatch_grad, dispatch_grad<T>},
    {OpKind::combine, combine<T>},
    {OpKind::combine_grad, combine_grad<T>},
    {OpKind::expert_linear, expert_linear<T>},
    {OpKind::expert_linear_grad_input, expert_linear_grad_input<T>},
    {OpKind::expert_linear_grad_weight, expert_linear_grad_weight<T>},
    {OpKind::embedding_bag, embedding_bag<T>},
    {OpKind::embedding_bag_grad, embedding_bag_grad<T>},
    {OpKind::pairwise_dot, pairwise_dot<T>},
    {OpKind::pairwise_dot_grad, pairwise_dot_grad<T>},
    {OpKind::binary_cross_entropy, binary_cross_entropy<T>},
    {OpKind::binary_cross_entropy_grad, binary_cross_entropy_grad<T>},
    {OpKind::exchange, exchange<T>},
    {OpKind::gather_shards, exchange<T>},
    {OpKind::scatter_shards, exchange<T>},
    {OpKind::send, exchange<T>},
    {OpKind::receive, exchange<T>},
    {OpKind::block_attention, block_attention<T>},
    {OpKind::block_attention_total, block_attention_total<T>},
    {OpKind::attention_delta, attention_delta<T>},
    {OpKind::block_attention_grad, block_attention_grad<T>},
    {OpKind::cross_entropy_max, cross_entropy_max<T>},
    {OpKind::cross_entropy_sums, cross_entropy_sums<T>},
    {OpKind::cross_entropy_total, cross_entropy_total<T>},
    {OpKind::batch_norm_sums, batch_norm_sums<T>},
    {OpKind::batch_norm_total, batch_norm_total<T>},
    {OpKind::batch_norm_grad_sums, batch_norm_grad_sums<T>},
    {OpKind::batch_norm_grad_total, batch_norm_grad_total<T>},
    {OpKind::cast, cast<T>},
};

}  // namespace

template <class T>
Kernel<T> kernel_for(OpKind kind) {
  const Row<T>& row = kTable<T>[static_cast<size_t>(kind)];
  LOCKSTEP_INVARIANT(row.kind == kind && row.kernel != nullptr, "no naive kernel for op kind {}",
                     static_cast<int>(kind));
  return row.kernel;
}

template Kernel<float> kernel_for(OpKind);
template Kernel<double> kernel_for(OpKind);

}  // namespace lockstep::kernels::naive
