#pragma once

#include "reference_trainer/kernels/naive/call.h"
#include "reference_trainer/kernels/routing.h"

namespace lockstep::kernels::naive {

template <class T>
void route(const Call<T>& call) {
  const Routing z = routing_of(call.attr(), call.in[0], call.out[0].dims[2]);
  const int64_t real_tokens = (z.samples - call.context.padding) * z.seq;
  int64_t dropped = 0;
  for (int64_t g = 0; g < z.groups(); ++g) {
    dropped += route_group(z, g, call.x(0), call.y(0), call.index_out(1), call.y(2), real_tokens - z.begin_of(g));
  }
  call.y(3)[0] = T(dropped);
}

template <class T>
void route_grad(const Call<T>& call) {
  const Routing z = routing_of(call.attr(), call.in[0], call.in[1].dims[2]);
  for (int64_t g = 0; g < z.groups(); ++g)
    route_group_grad(z, g, call.x(0), call.x(1), call.in.size() > 2 ? call.x(2) : nullptr, call.y(0));
}

template <class T>
void load_balance(const Call<T>& call) {
  kernels::load_balance(routing_of(call.attr(), call.in[0], 1), T(call.attr().weight), call.x(0), call.y(0));
}

template <class T>
void load_balance_grad(const Call<T>& call) {
  kernels::load_balance_grad(routing_of(call.attr(), call.in[0], 1), T(call.attr().weight), call.x(0), call.x(1),
                             call.y(0));
}

}  // namespace lockstep::kernels::naive
