#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference_trainer/kernels/operand.h"

namespace lockstep::kernels {

/// Tokens in routing groups, their experts, and the places that these have: probabilities lie in [batch, seq, expert]
/// tensors, gates and slots in [batch, seq, choices] ones, places in [batch, expert, capacity].
struct Routing {
  int64_t samples = 0, seq = 0, experts = 0, choices = 1;
  int64_t group = 0;     ///< tokens; a part of seq, or a multiple of it
  int64_t capacity = 0;  ///< places of an expert for each sample

  int64_t groups_a_sample() const { return std::max<int64_t>(seq / group, 1); }
  int64_t samples_a_group() const { return std::max<int64_t>(group / seq, 1); }
  int64_t groups() const {
    return group < seq ? samples * groups_a_sample() : (samples + samples_a_group() - 1) / samples_a_group();
  }
  /// Tokens [begin_of(g), begin_of(g + 1)): of the last group of several samples there may be fewer.
  int64_t begin_of(int64_t g) const { return std::min(g * group, samples * seq); }
  int64_t tokens_of(int64_t g) const { return begin_of(g + 1) - begin_of(g); }
  /// Places of one expert for a group.
  int64_t places_of(int64_t g) const {
    return group < seq ? capacity / groups_a_sample() : tokens_of(g) / seq * capacity;
  }
  /// The flat index of a group's place `i` at an expert.
  int64_t place(int64_t g, int64_t expert, int64_t i) const {
    const int64_t sample = begin_of(g) / seq + i / capacity;
    const int64_t before = group < seq ? g % groups_a_sample() * places_of(g) : 0;
    return (sample * experts + expert) * capacity + before + i % capacity;
  }
};

inline Routing routing_of(const graph::Attributes& attr, const Operand& probs, int64_t choices) {
  return {probs.dims[0], probs.dims[1], probs.dims[2], choices, attr.routing_group, attr.capacity};
}

/// The likeliest experts of a token, the first of equals first.
template <class T>
void choose_experts(const T* probs, int64_t experts, int64_t choices, int64_t* chosen) {
  for (int64_t k = 0; k < choices; ++k) {
    int64_t best = -1;
    for (int64_t e = 0; e < experts; ++e) {
      const bool taken = std::find(chosen, chosen + k, e) != chosen + k;
      if (!taken && (best < 0 || probs[e] > probs[best])) best = e;
    }
    chosen[k] = best;
  }
}

template <class T>
void softmax_row(const T* x, T* y, int64_t n) {
  const T top = *std::max_element(x, x + n);
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - top);
  for (int64_t i = 0; i < n; ++i) y[i] /= sum;
}

/// Routes one group; returns how many choices of its first `counted` tokens found no place. The gate of a single choice
/// is its probability (Fedus et al. 2021), those of several are their shares of the chosen (Lepikhin et al. 2020).
template <class T>
int64_t route_group(const Routing& z, int64_t g, const T* logits, T* gates, int32_t* slots, T* probs, int64_t counted) {
  const int64_t first = z.begin_of(g), tokens = z.tokens_of(g);
  std::vector<int64_t> chosen(static_cast<size_t>(tokens * z.choices)), used(static_cast<size_t>(z.experts), 0);
  for (int64_t t = 0; t < tokens; ++t) {
    const T* x = logits + (first + t) * z.experts;
    T *p = probs + (first + t) * z.experts, *gate = gates + (first + t) * z.choices;
    int64_t* mine = chosen.data() + t * z.choices;
    softmax_row(x, p, z.experts);
    choose_experts(p, z.experts, z.choices, mine);
    T sum = 0;
    for (int64_t k = 0; k < z.choices; ++k) sum += gate[k] = p[mine[k]];
    for (int64_t k = 0; k < z.choices && z.choices > 1; ++k) gate[k] /= sum;
  }
  int64_t dropped = 0;
  for (int64_t k = 0; k < z.choices; ++k) {
    for (int64_t t = 0; t < tokens; ++t) {
      const int64_t expert = chosen[static_cast<size_t>(t * z.choices + k)];
      int64_t& next = used[static_cast<size_t>(expert)];
      const bool fits = next < z.places_of(g);
      slots[(first + t) * z.choices + k] = fits ? static_cast<int32_t>(z.place(g, expert, next)) : -1;
      if (fits) ++next;
      if (!fits && t < counted) ++dropped;
    }
  }
  return dropped;
}

/// dlogits of one group; `dprobs` may be null.
template <class T>
void route_group_grad(const Routing& z, int64_t g, const T* probs, const T* dgates, const T* dprobs, T* dlogits) {
  std::vector<int64_t> chosen(static_cast<size_t>(z.choices));
  for (int64_t t = z.begin_of(g); t < z.begin_of(g + 1); ++t) {
    const T *p = probs + t * z.experts, *dgate = dgates + t * z.choices;
    T* d = dlogits + t * z.experts;
    if (dprobs) {
      std::copy_n(dprobs + t * z.experts, z.experts, d);
    } else {
      std::fill_n(d, z.experts, T(0));
    }
    choose_experts(p, z.experts, z.choices, chosen.data());
    T sum = 0, mean = 0;  // of the chosen probabilities; of dgate, weighed by the gates
    for (int64_t k = 0; k < z.choices; ++k) sum += p[chosen[static_cast<size_t>(k)]];
    for (int64_t k = 0; k < z.choices; ++k) mean += p[chosen[static_cast<size_t>(k)]] / sum * dgate[k];
    for (int64_t k = 0; k < z.choices; ++k)
      d[chosen[static_cast<size_t>(k)]] += z.choices == 1 ? dgate[k] : (dgate[k] - mean) / sum;
    T inner = 0;
    for (int64_t e = 0; e < z.experts; ++e) inner += p[e] * d[e];
    for (int64_t e = 0; e < z.experts; ++e) d[e] = p[e] * (d[e] - inner);
  }
}

/// Of each expert the share of a group's tokens whose first choice it is.
template <class T>
std::vector<T> first_choice_shares(const Routing& z, int64_t g, const T* probs) {
  std::vector<T> shares(static_cast<size_t>(z.experts), T(0));
  for (int64_t t = z.begin_of(g); t < z.begin_of(g + 1); ++t) {
    int64_t first = 0;
    choose_experts(probs + t * z.experts, z.experts, 1, &first);
    shares[static_cast<size_t>(first)] += 1 / T(z.tokens_of(g));
  }
  return shares;
}

/// A number a sample: weight E sum_e f_e P_e of its group, or the mean over its groups, with the share f of tokens and
/// the mean probability P.
template <class T>
void load_balance(const Routing& z, T weight, const T* probs, T* penalty) {
  std::fill_n(penalty, z.samples, T(0));
  for (int64_t g = 0; g < z.groups(); ++g) {
    const std::vector<T> share = first_choice_shares(z, g, probs);
    T sum = 0;
    for (int64_t t = z.begin_of(g); t < z.begin_of(g + 1); ++t) {
      for (int64_t e = 0; e < z.experts; ++e) sum += share[static_cast<size_t>(e)] * probs[t * z.experts + e];
    }
    const T value = weight * T(z.experts) * sum / T(z.tokens_of(g)) / T(z.groups_a_sample());
    for (int64_t b = z.begin_of(g) / z.seq; b * z.seq < z.begin_of(g + 1); ++b) penalty[b] += value;
  }
}

template <class T>
void load_balance_grad(const Routing& z, T weight, const T* probs, const T* dpenalty, T* dprobs) {
  for (int64_t g = 0; g < z.groups(); ++g) {
    const std::vector<T> share = first_choice_shares(z, g, probs);
    T sum = 0;
    for (int64_t b = z.begin_of(g) / z.seq; b * z.seq < z.begin_of(g + 1); ++b) sum += dpenalty[b];
    const T scale = sum * weight * T(z.experts) / T(z.tokens_of(g)) / T(z.groups_a_sample());
    for (int64_t t = z.begin_of(g); t < z.begin_of(g + 1); ++t) {
      for (int64_t e = 0; e < z.experts; ++e) dprobs[t * z.experts + e] = scale * share[static_cast<size_t>(e)];
    }
  }
}

}  // namespace lockstep::kernels
