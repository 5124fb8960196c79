#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::graph {

/// Every kind of op with its operands, in order: (inputs) -> (outputs). "[b]" is there when attr.has_bias. Gradients of
/// a tensor have its shape. `i` marks an index tensor. Math of the forward kinds: docs/graph.md.
enum class OpKind : uint8_t {
  none,
  linear,  ///< (x, w, [b]) -> (y): y = x w^T + b, over w's leading dims; contracts w's trailing dims with x's
  linear_grad_input,   ///< (dy, w) -> (dx)
  linear_grad_weight,  ///< (x, dy) -> (dw, [db])
  conv2d,              ///< (x NCHW, w OIHW, [b]) -> (y)
  conv2d_grad_input,   ///< (dy, w) -> (dx)
  conv2d_grad_weight,  ///< (x, dy) -> (dw, [db])
  max_pool,            ///< (x) -> (y, i argmax): argmax is the flat index within the input plane, first of equals
  max_pool_grad,       ///< (dy, i argmax) -> (dx)
  avg_pool,            ///< (x) -> (y): divides by the whole window
  avg_pool_grad,       ///< (dy) -> (dx)
  batch_norm,  ///< (x, gamma, beta, running_mean, running_var) -> (y, mean, rstd): running ones updated in training
  batch_norm_grad,  ///< (x, dy, gamma, mean, rstd) -> (dx, dgamma, dbeta)
  layer_norm,       ///< (x, gamma, beta) -> (y, mean, rstd): over the last dim
  layer_norm_grad,  ///< (x, dy, gamma, mean, rstd) -> (dx, dgamma, dbeta)
  relu,             ///< (x) -> (y)
  relu_grad,        ///< (dy, y) -> (dx): by y > 0
  gelu,             ///< (x) -> (y): tanh form (Hendrycks and Gimpel 2016)
  gelu_grad,        ///< (dy, x) -> (dx)
  tanh,             ///< (x) -> (y)
  tanh_grad,        ///< (dy, y) -> (dx)
  embedding,        ///< (i ids, table) -> (y)
  embedding_grad,   ///< (i ids, dy) -> (dtable): dense, zero where no id points
  positions,        ///< (x, table) -> (y): y[b, s, :] = x[b, s, :] + table[s, :]
  positions_grad,   ///< (dy) -> (dtable): sum over the batch
  attention,  ///< (qkv [batch, seq, gate 3, heads, head_dim]) -> (y [batch, seq, heads, head_dim], probs [batch, heads,
              ///< seq, kv_seq]): causal unless attr.causal is false
  attention_grad,  ///< (qkv, probs, dy) -> (dqkv)
  lstm,  ///< (xw [batch, seq, gate 4, hidden], w [gate 4, hidden, hidden]) -> (h [batch, seq, hidden], gates [batch,
         ///< seq, gate 4, hidden] after their functions, cell [batch, seq, hidden]); i, f, g, o; zero initial state
  lstm_grad_input,        ///< (dh, gates, cell, w) -> (dxw)
  lstm_grad_weight,       ///< (h, dxw) -> (dw)
  softmax_cross_entropy,  ///< (logits, i labels, [penalty]) -> (loss, correct, lse): loss = loss_scale * sum; lse per
                          ///< position; in training a sample's penalty counts once for each of its positions
  softmax_cross_entropy_grad,  ///< (logits, i labels, lse) -> (dlogits, [dpenalty]): (softmax - onehot) * loss_scale
  add,                         ///< (a, b) -> (y)
  reshape,                     ///< (x) -> (y): the same bytes
  dropout,  ///< (x, i sample_ids) -> (y): mask from Philox by (seed, op name, sample id, step); identity in evaluation
  dropout_grad,         ///< (dy, i sample_ids) -> (dx)
  narrow,               ///< (x) -> (y): positions [attr.begin, ..) of axis attr.axis
  pad,                  ///< (x) -> (y): x at positions [attr.begin, ..) of axis attr.axis, zeros elsewhere
  join,                 ///< (a, b) -> (y): one after the other along axis attr.axis
  local_response_norm,  ///< (x NCHW) -> (y, scale): y = x scale^-exponent, scale = k + alpha sum of x^2 over channels
  local_response_norm_grad,  ///< (x, dy, scale) -> (dx)
  patches,                   ///< (x NCHW) -> (y [batch, seq, hidden]): squares of side attr.kernel_h, row by row
  patches_grad,              ///< (dy) -> (dx)
  class_token,               ///< (x [batch, seq, hidden], token [hidden]) -> (y): the token, then x along seq
  class_token_grad,          ///< (dy) -> (dtoken): sum over the batch; x's is a narrow
  select_positions,          ///< (x [batch, seq, hidden], i places [batch, seq m]) -> (y [batch, seq m, hidden])
  select_positions_grad,     ///< (dy, i places) -> (dx): zero where no place points
  route,  ///< (logits [batch, seq, expert]) -> (gates [batch, seq, gate k], i slots [batch, seq, gate k], probs [batch,
          ///< seq, expert], dropped): the k likeliest experts of each token, and its place at each: a flat index into
          ///< [batch, expert, capacity], -1 where the expert is full; dropped counts these
  route_grad,    ///< (probs, dgates, [dprobs]) -> (dlogits)
  load_balance,  ///< (probs) -> (penalty [batch]): attr.weight E sum_e f_e P_e of each routing group, the mean a sample
  load_balance_grad,         ///< (probs, dpenalty) -> (dprobs)
  dispatch,                  ///< (x [batch, seq, hidden], i slots) -> (y [batch, expert, capacity, hidden])
  dispatch_grad,             ///< (dy, i slots) -> (dx)
  combine,                   ///< (y [batch, expert, capacity, hidden], gates, i slots) -> (z [batch, seq, hidden])
  combine_grad,              ///< (dz, y, gates, i slots) -> (dy, dgates)
  expert_linear,             ///< (x [batch, expert, capacity, ..], w [expert, out, in], [b]) -> (y): a linear an expert
  expert_linear_grad_input,  ///< (dy, w) -> (dx)
  expert_linear_grad_weight,  ///< (x, dy) -> (dw, [db])
  embedding_bag,  ///< (i ids [batch, table, ids], tables [vocab of all, hidden]) -> (y [batch, table, hidden]): sums of
                  ///< rows; ids count modulo their table's rows
  embedding_bag_grad,    ///< (i ids, dy) -> (dtables): dense
  pairwise_dot,          ///< (x [batch, vectors, hidden]) -> (y [batch, pairs]): pair (i, j < i) is i (i - 1) / 2 + j
  pairwise_dot_grad,     ///< (x, dy) -> (dx)
  binary_cross_entropy,  ///< (logits [batch, 1], i labels [batch]) -> (loss, correct, probs [batch, 1])
  binary_cross_entropy_grad,  ///< (probs, i labels) -> (dlogits): (probs - labels) * loss_scale
  // Lowering alone makes these.
  exchange,         ///< (x) -> (y): y is x in another layout, by the plan's exchange attr.exchange
  gather_shards,    ///< () -> (w, ...): the parameters of bucket attr.exchange, from the shards of all ranks;
                    ///< () -> (): begins that, for a later one which then waits
  scatter_shards,   ///< (dw, ...) -> (): the gradients of bucket attr.exchange, summed, a shard to each rank
  send,             ///< (x, ...) -> (): to the stage that border attr.exchange names
  receive,          ///< () -> (x, ...): from there
  block_attention,  ///< (qkv, kv, [acc, top, sum]) -> (acc, top, sum): attention's running sums over one more block
                    ///< of keys, of which the positions say who may see it
  block_attention_total,  ///< (acc, top, sum) -> (y, lse [batch, heads, seq])
  attention_delta,        ///< (y, dy) -> (delta [batch, heads, seq]): of each row y . dy
  block_attention_grad,   ///< (qkv, kv, lse, delta, dy, [dq, dkv]) -> (dq, dkv): adds to dq and dkv
  cross_entropy_max,      ///< (logits) -> (max): of each position's part of the logits
  cross_entropy_sums,  ///< (logits, i labels, max) -> (sums [.., gate 3]): of exp(x - max); the label's logit; how many
                       ///< entries before the label equal the maximum
  cross_entropy_total,  ///< (max, sums, [penalty]) -> (loss, correct, lse)
  batch_norm_sums,  ///< (x, running_mean) -> (sums [batch, channels, gate 3]): a row a group: how many numbers; sums of
                    ///< x less the running mean and of its square
  batch_norm_total,       ///< (x, gamma, beta, running_mean, running_var, sums) -> (y, mean, rstd)
  batch_norm_grad_sums,   ///< (x, dy, mean, rstd) -> (sums, dgamma, dbeta): how many; sums of dy and dy x normalized x
  batch_norm_grad_total,  ///< (x, dy, gamma, mean, rstd, sums) -> (dx)
  cast,  ///< (x) -> (y): from real numbers to 16-bit ones (to nearest, ties to even; too large ones become infinite,
         ///< NaN stays NaN), or back
};

std::string_view name(OpKind kind);

/// The kind with this name; throws Failure("usage") with the nearest known name.
OpKind kind_named(std::string_view name);

/// The kind whose gradient an op kind belongs to; the kind itself for forward ones.
OpKind forward_of(OpKind kind);

}  // namespace lockstep::graph
