#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lockstep::graph {

/// A named dimension of a tensor. Layout rules speak of these names.
enum class Dim : uint8_t {
  batch,
  seq,
  kv_seq,
  hidden,
  ffn,
  heads,
  head_dim,
  vocab,
  expert,
  chan_in,
  chan_out,
  height,
  width,
  gate,
  class_,
  capacity,  ///< places that an expert has for tokens
  table      ///< embedding tables, and other vectors beside their rows
};

std::string_view name(Dim dim);

/// The dim with this name; throws Failure("usage") with the nearest known name.
Dim dim_named(std::string_view name);

/// One axis of a tensor's shape. The batch axis is symbolic: its size is bound when a graph is compiled or run.
struct Extent {
  Dim dim = Dim::batch;
  int64_t size = 0;  ///< of the batch axis 0, or of how many ranks the batches lie here

  bool operator==(const Extent&) const = default;
};

using Shape = std::vector<Extent>;

/// Positions along an axis, with `batch` samples a rank.
inline int64_t positions(const Extent& extent, int64_t batch) {
  if (extent.dim != Dim::batch) return extent.size;
  return extent.size > 1 ? batch * extent.size : batch;
}

}  // namespace lockstep::graph
