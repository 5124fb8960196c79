#include "harness/run/carry.h"

#include <fmt/format.h>

#include <numeric>

#include "adapters/contract/plural.h"
#include "results/report/figures.h"
#include "results/snapshot/comparisons.h"
#include "results/stats/carry.h"
#include "results/stats/median.h"

namespace lockstep::run {

Carry carry_of(const std::vector<suite::PlannedCell>& cells, int64_t launches) {
  std::vector<store::CellRow> rows;
  for (const suite::PlannedCell& c : cells) {
    if (!c.refused) rows.push_back(suite::row_of(c));
  }
  Carry out;
  out.launches = launches;
  out.comparisons = static_cast<int64_t>(snapshot::to_compare(rows).size());
  std::vector<double> any(static_cast<size_t>(launches));
  std::iota(any.begin(), any.end(), 1.0);
  out.level = stats::median(any).level;
  out.least_p = stats::smallest_p_paired(launches);
  if (out.comparisons > 0) {
    out.least_movers = stats::least_movers(out.least_p, out.comparisons);
    out.launches_for_one = stats::launches_for_one_paired(out.comparisons);
  }
  return out;
}

std::string carry_text(const Carry& c) {
  std::string text = fmt::format("n = {} a cell: ", plural(c.launches, "launch", "launches"));
  text += c.level > 0 ? report::percent(c.level) + " intervals" : "no interval";
  if (c.comparisons == 0) return text;
  text += fmt::format("; {}, least p {:.2g}: ", plural(c.comparisons, "comparison"), c.least_p);
  if (!c.least_movers) {
    return text + fmt::format("no difference can be declared; -n {} could declare a single one", c.launches_for_one);
  }
  if (*c.least_movers == 1) return text + "each difference can be declared alone";
  return text + fmt::format("at least {} must differ together for any to be declared; a single one needs -n {}",
                            *c.least_movers, c.launches_for_one);
}

}  // namespace lockstep::run
