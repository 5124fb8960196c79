#include "results/stats/contrast.h"

#include <algorithm>
#include <cmath>

#include "results/stats/benjamini_hochberg.h"
#include "results/stats/launches_needed.h"
#include "results/stats/mann_whitney.h"
#include "results/stats/median.h"
#include "results/stats/ratio.h"
#include "results/stats/signed_rank.h"

namespace lockstep::stats {

namespace {

Side side_of(const Estimate& ratio, double margin) {
  if (ratio.low > 1 + margin) return Side::above;
  if (ratio.high < 1 - margin) return Side::below;
  return ratio.low >= 1 - margin && ratio.high <= 1 + margin ? Side::within : Side::straddles;
}

std::vector<double> logs(std::span<const double> values) {
  std::vector<double> out;
  for (const double value : values) out.push_back(std::log(value));
  return out;
}

// log of the border that the estimate would have to be beyond
double border(const Contrast& c) { return c.ratio.value >= 1 ? std::log1p(c.margin) : std::log1p(-c.margin); }

double p_beyond(const Contrast& c, std::span<const double> a, std::span<const double> b) {
  RankTest test;
  if (c.paired) {
    std::vector<double> differences = log_differences(a, b);
    for (double& difference : differences) difference -= border(c);
    test = signed_rank(differences);
  } else {
    std::vector<double> shifted = logs(b);
    for (double& value : shifted) value += border(c);
    test = mann_whitney(logs(a), shifted);
  }
  return c.ratio.value >= 1 ? test.p_greater : test.p_less;
}

double pooled_deviation(std::span<const double> a, std::span<const double> b) {
  std::vector<double> residuals;
  for (const std::vector<double>& side : {logs(a), logs(b)}) {
    const double center = middle(side);
    for (const double value : side) residuals.push_back(value - center);
  }
  return robust_deviation(residuals);
}

std::optional<int64_t> needed(const Contrast& c, std::span<const double> a, std::span<const double> b, double level) {
  const double at = std::log(c.ratio.value);
  const double delta = std::min(std::abs(at - std::log1p(c.margin)), std::abs(at - std::log1p(-c.margin)));
  std::optional<int64_t> out = c.paired ? launches_needed_paired(robust_deviation(log_differences(a, b)), delta, level)
                                        : launches_needed_unpaired(pooled_deviation(a, b), delta, level);
  // Those there are did not decide, whatever the normal approximation says.
  if (out) out = std::max(*out, c.ratio.n + 1);
  return out;
}

struct Words {
  const char *above, *below, *within, *straddles;
};

const char* word(const Contrast& c, const Words& words) {
  if (!c.ratio.ok()) return "error";
  switch (c.side) {
    case Side::above:
      return words.above;
    case Side::below:
      return words.below;
    case Side::within:
      return words.within;
    case Side::straddles:
      return words.straddles;
  }
  return "error";
}

}  // namespace

Contrast contrast(std::span<const double> a, std::span<const double> b, bool paired, const Margin& margin,
                  double level) {
  Contrast out;
  out.paired = paired;
  out.ratio = paired ? ratio_paired(a, b, level) : ratio(a, b, level);
  out.margin = margin.relative;
  if (!out.ratio.ok()) return out;
  // Below 1 the border is log(1 - margin): a floor above the base itself would leave nothing there.
  out.margin = std::min(std::max(margin.relative, margin.floor / middle({b.begin(), b.end()})), 0.999);
  out.side = side_of(out.ratio, out.margin);
  out.p = p_beyond(out, a, b);
  if (out.side == Side::straddles) out.launches_needed = needed(out, a, b, level);
  return out;
}

void settle(std::vector<Contrast>& family, double q_limit) {
  std::vector<double> p;
  for (const Contrast& member : family) p.push_back(member.p);
  const std::vector<double> q = benjamini_hochberg(p);
  for (size_t i = 0; i < family.size(); ++i) {
    family[i].q = q[i];
    const bool moved = family[i].side == Side::above || family[i].side == Side::below;
    if (moved && q[i] > q_limit) family[i].side = Side::straddles;
  }
}

const char* gate_word(const Contrast& contrast, Better better) {
  const bool lower = better == Better::lower;
  return word(contrast,
              {lower ? "regressed" : "improved", lower ? "improved" : "regressed", "equivalent", "inconclusive"});
}

const char* speed_word(const Contrast& contrast) {
  return word(contrast, {"faster", "slower", "equal", "cannot tell"});
}

const char* scaling_word(const Contrast& contrast) {
  return word(contrast, {"gains", "loses", "equal", "cannot tell"});
}

}  // namespace lockstep::stats
