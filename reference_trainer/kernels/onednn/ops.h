#pragma once

#include "reference_trainer/kernels/onednn/compiler.h"

namespace lockstep::kernels::onednn {

// One function an op kind: table.cpp has the rows, a file a family of ops.
void linear(Compiler&, const graph::Op&);
void linear_grad_input(Compiler&, const graph::Op&);
void linear_grad_weight(Compiler&, const graph::Op&);
void conv2d(Compiler&, const graph::Op&);
void conv2d_grad_input(Compiler&, const graph::Op&);
void conv2d_grad_weight(Compiler&, const graph::Op&);
/// True when the gradient below is the one to take.
bool few_channels(const Operand& x);
void conv2d_grad_weight_few_channels(Compiler&, const graph::Op&);
void pool(Compiler&, const graph::Op&);
void pool_grad(Compiler&, const graph::Op&);
void batch_norm(Compiler&, const graph::Op&);
void batch_norm_grad(Compiler&, const graph::Op&);
void batch_norm_sums(Compiler&, const graph::Op&);
void batch_norm_total(Compiler&, const graph::Op&);
void batch_norm_grad_sums(Compiler&, const graph::Op&);
void batch_norm_grad_total(Compiler&, const graph::Op&);
void layer_norm(Compiler&, const graph::Op&);
void layer_norm_grad(Compiler&, const graph::Op&);
void unary(Compiler&, const graph::Op&);
void binary(Compiler&, const graph::Op&);
void reshape(Compiler&, const graph::Op&);
void dropout(Compiler&, const graph::Op&);
void embedding(Compiler&, const graph::Op&);
void embedding_grad(Compiler&, const graph::Op&);
void positions(Compiler&, const graph::Op&);
void positions_grad(Compiler&, const graph::Op&);
void attention(Compiler&, const graph::Op&);
void attention_grad(Compiler&, const graph::Op&);
void lstm(Compiler&, const graph::Op&);
void lstm_grad_input(Compiler&, const graph::Op&);
void lstm_grad_weight(Compiler&, const graph::Op&);
void softmax_cross_entropy(Compiler&, const graph::Op&);
void softmax_cross_entropy_grad(Compiler&, const graph::Op&);
void cross_entropy_max(Compiler&, const graph::Op&);
void cross_entropy_sums(Compiler&, const graph::Op&);
void cross_entropy_total(Compiler&, const graph::Op&);
void narrow(Compiler&, const graph::Op&);
void pad(Compiler&, const graph::Op&);
void join(Compiler&, const graph::Op&);
void local_response_norm(Compiler&, const graph::Op&);
void local_response_norm_grad(Compiler&, const graph::Op&);
void patches(Compiler&, const graph::Op&);
void patches_grad(Compiler&, const graph::Op&);
void class_token(Compiler&, const graph::Op&);
void class_token_grad(Compiler&, const graph::Op&);
void select_positions(Compiler&, const graph::Op&);
void select_positions_grad(Compiler&, const graph::Op&);
void route(Compiler&, const graph::Op&);
void route_grad(Compiler&, const graph::Op&);
void load_balance(Compiler&, const graph::Op&);
void load_balance_grad(Compiler&, const graph::Op&);
void dispatch(Compiler&, const graph::Op&);
void dispatch_grad(Compiler&, const graph::Op&);
void combine(Compiler&, const graph::Op&);
void combine_grad(Compiler&, const graph::Op&);
void expert_linear(Compiler&, const graph::Op&);
void expert_linear_grad_input(Compiler&, const graph::Op&);
void expert_linear_grad_weight(Compiler&, const graph::Op&);
void embedding_bag(Compiler&, const graph::Op&);
void embedding_bag_grad(Compiler&, const graph::Op&);
void pairwise_dot(Compiler&, const graph::Op&);
void pairwise_dot_grad(Compiler&, const graph::Op&);
void binary_cross_entropy(Compiler&, const graph::Op&);
void binary_cross_entropy_grad(Compiler&, const graph::Op&);
void exchange(Compiler&, const graph::Op&);
void block_attention(Compiler&, const graph::Op&);
void block_attention_total(Compiler&, const graph::Op&);
void attention_delta(Compiler&, const graph::Op&);
void block_attention_grad(Compiler&, const graph::Op&);
void cast(Compiler&, const graph::Op&);

}  // namespace lockstep::kernels::onednn
