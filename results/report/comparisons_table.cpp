#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::report {
namespace {

using snapshot::Comparison;

Column ratio_column() {
  Column out{"ratio", "speed of A / B", "", Quantity::ratio, Centre::hodges_lehmann, false, true};
  out.base = "column B";
  return out;
}

Value needed_value(const stats::Contrast& contrast) {
  if (contrast.side != stats::Side::straddles) return missing_value("it is decided");
  return contrast.launches_needed ? count_value(*contrast.launches_needed) : missing_value("no number would decide");
}

Row row_of_comparison(const Comparison& one) {
  const stats::Contrast& contrast = one.contrast;
  return {"",
          {text_value(one.a.text), text_value(one.word), text_value(one.b.text), estimate_value(contrast.ratio),
           text_value(contrast.paired ? "in blocks" : "all launches"), count_value(contrast.ratio.n),
           number_value(contrast.margin), number_value(contrast.p, 1, "refused"),
           number_value(contrast.q, 1, "refused"), needed_value(contrast)}};
}

}  // namespace

Table comparisons_table(const std::vector<Comparison>& comparisons) {
  Table out;
  out.title = "Comparisons of speed, one family";
  out.columns = {name_column("a", "A"),
                 name_column("verdict", "is"),
                 name_column("b", "B"),
                 ratio_column(),
                 name_column("paired", "pairs"),
                 count_column("n", "n"),
                 count_column("margin", "margin"),
                 count_column("p", "p"),
                 count_column("q", "q"),
                 count_column("launches_needed", "launches that would decide")};
  for (const Comparison& one : comparisons) out.rows.push_back(row_of_comparison(one));
  name_intervals(out);
  out.notes = {
      "p: one-sided, beyond the margin on the estimate's side, exact signed-rank in blocks, else Mann-Whitney.",
      "q: Benjamini-Hochberg over all rows. faster, slower, gains, loses: interval beyond the margin and q at most "
      "0.05; equal: interval inside the margin; else cannot tell."};
  return out;
}

}  // namespace lockstep::report
