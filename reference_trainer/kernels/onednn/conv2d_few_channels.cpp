// The weight gradient of a convolution with a few input channels (images), where oneDNN would pad them to a block.
#include <cstring>

#include "reference_trainer/kernels/onednn/ops.h"
#include "reference_trainer/kernels/onednn/parallel.h"
#include "reference_trainer/kernels/onednn/planes.h"

namespace lockstep::kernels::onednn {
namespace {

struct FewChannelsSize {
  int64_t samples, chan_in, chan_out, block, taps;

  int64_t blocks() const { return (chan_out + block - 1) / block; }
  int64_t padded() const { return blocks() * block; }
  /// Numbers of one output block's gradient: [chan_in][taps][block], then [block] of the bias.
  int64_t sums() const { return (chan_in * taps + 1) * block; }
};

/// From [blocks][chan_in][taps][block] to [chan_out][chan_in][taps].
void unblock(const FewChannelsSize& z, const float* sums, float* dw, float* db) {
  for (int64_t o = 0; o < z.chan_out; ++o) {
    const float* from = sums + o / z.block * z.sums() + o % z.block;
    for (int64_t i = 0; i < z.chan_in * z.taps; ++i) dw[o * z.chan_in * z.taps + i] = from[i * z.block];
    if (db) db[o] = from[z.chan_in * z.taps * z.block];
  }
}

}  // namespace

bool few_channels(const Operand& x) { return x.dims[1] <= 3; }

void conv2d_grad_weight_few_channels(Compiler& c, const graph::Op& op) {
  const Operand shape = c.operand(op.in[0]), result = c.operand(op.in[1]);
  const int64_t block = std::max<int64_t>(8, channel_block(c.format(op.in[1])));
  const PlaneWindow window = window_of(op.attr, shape, result);
  const FewChannelsSize z{shape.dims[0], shape.dims[1], result.dims[1], block, window.kernel_h * window.kernel_w};
  const Slot x = c.in(op.in[0]), dy = c.in(op.in[1], blocked(result, block)), dw = c.out(op.out[0]);
  const Slot db = op.attr.has_bias ? c.out(op.out[1]) : Slot{};
  const Slot sums = c.scratch(z.blocks() * z.sums() * int64_t{sizeof(float)});
  c.add([=, has_bias = op.attr.has_bias, threads = c.threads(), code = c.code()](const StepContext&) {
    const int64_t x_plane = window.h * window.w, y_plane = window.p * window.q * block;
    parallel_for(threads, z.blocks(), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t b = begin; b < end; ++b) {
        float* mine = sums.real() + b * z.sums();
        std::memset(mine, 0, static_cast<size_t>(z.sums()) * sizeof(float));
        for (int64_t n = 0; n < z.samples; ++n) {
          const float* g = dy.real() + (n * z.blocks() + b) * y_plane;
          for (int64_t i = 0; i < z.chan_in; ++i) {
            code.pool.weight_grad(window, block, x.real() + (n * z.chan_in + i) * x_plane, g,
                                  mine + i * z.taps * block);
          }
          if (has_bias) {
            code.rows.column_sums(g, window.p * window.q, block, block, mine + z.chan_in * z.taps * block);
          }
        }
      }
    });
    unblock(z, sums.real(), dw.real(), has_bias ? db.real() : nullptr);
  });
}

}  // namespace lockstep::kernels::onednn
