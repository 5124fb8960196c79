#pragma once

#include "tests/kernels/case_graph.h"

namespace lockstep::kernels::testing {

struct LinearCase {
  int64_t in = 1, out = 1;
  bool bias = true;
  graph::OpKind activation = graph::OpKind::none;
  int64_t seq = 0;  ///< 0: no seq axis
};

struct WindowCase {
  int64_t chan_in = 1, chan_out = 1, height = 1, width = 1;
  int64_t kernel[2] = {1, 1}, stride[2] = {1, 1};
  int64_t pad[4] = {};  ///< top, bottom, left, right
  bool bias = true;
  graph::OpKind activation = graph::OpKind::none;

  graph::Attributes attributes() const;
  /// Shape of the output with this many channels.
  graph::Shape output(int64_t channels) const;
};

struct ExpertsCase {
  int64_t seq = 1, experts = 1, choices = 1;
  int64_t group = 1, capacity = 1;
  bool bias = true;
};

// Each makes the forward op and its gradient ops on inputs of the given sizes.
CaseGraph linear_case(const LinearCase& z);
CaseGraph conv2d_case(const WindowCase& z);
CaseGraph pool_case(graph::OpKind forward, graph::OpKind gradient, const WindowCase& z);
CaseGraph batch_norm_case(int64_t channels, int64_t side, int64_t group);
/// On one rank the two halves of a synchronised batch norm are a whole one.
CaseGraph split_norm_case(int64_t channels, int64_t side, int64_t group);
CaseGraph layer_norm_case(int64_t seq, int64_t width);
CaseGraph unary_case(graph::OpKind forward, graph::OpKind gradient, int64_t width);
CaseGraph add_case(int64_t width);
CaseGraph reshape_case(int64_t width);
CaseGraph dropout_case(int64_t width);
CaseGraph embedding_case(int64_t seq, int64_t vocab, int64_t width);
CaseGraph positions_case(int64_t seq, int64_t width);
/// `penalized`: with an auxiliary loss a sample.
CaseGraph loss_case(int64_t seq, int64_t classes, bool penalized);
CaseGraph attention_case(int64_t seq, int64_t heads, int64_t head_dim, bool causal);
/// narrow or pad of one axis of [batch, seq, hidden 3]: `inner` positions from `begin` on of `outer`.
CaseGraph cut_case(graph::OpKind forward, int64_t outer, int64_t begin, int64_t inner);
/// Two tensors along seq (axis 1) or hidden (axis 2), with the narrow ops that take their gradients apart.
CaseGraph join_case(int32_t axis, int64_t first, int64_t second);
CaseGraph local_response_norm_case(int64_t channels, int64_t window, double exponent);
CaseGraph patches_case(int64_t channels, int64_t down, int64_t across, int64_t side);
CaseGraph class_token_case(int64_t seq, int64_t width);
CaseGraph select_positions_case(int64_t seq, int64_t chosen, int64_t width);
CaseGraph lstm_case(int64_t seq, int64_t hidden);
/// A table for each number of rows; ids go beyond them.
CaseGraph embedding_bag_case(const std::vector<int64_t>& rows, int64_t ids, int64_t width);
CaseGraph pairwise_dot_case(int64_t vectors, int64_t width);
CaseGraph binary_loss_case();
/// To 16 bits and back.
CaseGraph cast_case(graph::Type type, int64_t width);
/// route, load_balance, dispatch, expert_linear and combine.
CaseGraph experts_case(const ExpertsCase& z);

}  // namespace lockstep::kernels::testing
