#pragma once

#include <span>

#include "reference_trainer/graph/op_table.h"

/// The rows of each file of this folder; op_table.cpp joins them.
namespace lockstep::graph::ops {

std::span<const OpRow> linear_rows();
std::span<const OpRow> conv2d_rows();
std::span<const OpRow> pool_rows();
std::span<const OpRow> batch_norm_rows();
std::span<const OpRow> layer_norm_rows();
std::span<const OpRow> pointwise_rows();
std::span<const OpRow> embedding_rows();
std::span<const OpRow> attention_rows();
std::span<const OpRow> lstm_rows();
std::span<const OpRow> loss_rows();
std::span<const OpRow> dropout_rows();
std::span<const OpRow> cut_rows();
std::span<const OpRow> local_response_norm_rows();
std::span<const OpRow> patches_rows();
std::span<const OpRow> select_positions_rows();
std::span<const OpRow> route_rows();
std::span<const OpRow> dispatch_rows();
std::span<const OpRow> expert_linear_rows();
std::span<const OpRow> embedding_bag_rows();
std::span<const OpRow> pairwise_dot_rows();
std::span<const OpRow> binary_loss_rows();
std::span<const OpRow> exchange_rows();
std::span<const OpRow> block_attention_rows();
std::span<const OpRow> split_loss_rows();
std::span<const OpRow> split_norm_rows();
std::span<const OpRow> cast_rows();

}  // namespace lockstep::graph::ops
