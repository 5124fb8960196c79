#pragma once

#include <algorithm>

#include "reference_trainer/kernels/naive/call.h"

namespace lockstep::kernels::naive {

/// Calls visit(index in the image, index in the sequence) for every pixel of a [batch, channels, height, width] image.
template <class Visit>
void for_each_patch_pixel(const Operand& image, int64_t side, Visit visit) {
  const int64_t channels = image.dims[1], height = image.dims[2], width = image.dims[3];
  for (int64_t i = 0; i < image.count; ++i) {
    const int64_t column = i % width, row = i / width % height, c = i / (width * height) % channels;
    const int64_t n = i / (width * height * channels);
    const int64_t patch = (n * (height / side) + row / side) * (width / side) + column / side;
    visit(i, ((patch * channels + c) * side + row % side) * side + column % side);
  }
}

template <class T>
void patches(const Call<T>& call) {
  for_each_patch_pixel(call.in[0], call.attr().kernel_h,
                       [&](int64_t image, int64_t sequence) { call.y(0)[sequence] = call.x(0)[image]; });
}

template <class T>
void patches_grad(const Call<T>& call) {
  for_each_patch_pixel(call.out[0], call.attr().kernel_h,
                       [&](int64_t image, int64_t sequence) { call.y(0)[image] = call.x(0)[sequence]; });
}

template <class T>
void class_token(const Call<T>& call) {
  const int64_t width = width_of(call.in[1]), rest = call.in[0].dims[1] * width;
  for (int64_t n = 0; n < call.in[0].dims[0]; ++n) {
    T* y = call.y(0) + n * (width + rest);
    std::copy_n(call.x(1), width, y);
    std::copy_n(call.x(0) + n * rest, rest, y + width);
  }
}

template <class T>
void class_token_grad(const Call<T>& call) {
  const int64_t width = width_of(call.out[0]), all = call.in[0].dims[1] * width;
  std::fill_n(call.y(0), width, T(0));
  for (int64_t n = 0; n < call.in[0].dims[0]; ++n)
    for (int64_t i = 0; i < width; ++i) call.y(0)[i] += call.x(0)[n * all + i];
}

}  // namespace lockstep::kernels::naive
