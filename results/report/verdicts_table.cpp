#include "results/report/compare.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::report {
namespace {

using snapshot::Relation;
using snapshot::Verdict;

constexpr double kMillisecond = 1e-3, kMiB = 1 << 20;

bool is_time(const Verdict& verdict) { return verdict.metric == "time"; }

Value side_value(const Verdict& verdict, const stats::Estimate& estimate) {
  return estimate.ok() ? estimate_value(estimate, is_time(verdict) ? kMillisecond : kMiB)
                       : missing_value(verdict.reason.empty() ? "not measured" : verdict.reason);
}

// Why there is no number stands once, in the note.
Value nothing(const Verdict& verdict) { return {"", {}, true, verdict.reason}; }

Value ratio_value(const Verdict& verdict) {
  if (!verdict.weighed()) return nothing(verdict);
  Value out = estimate_value(verdict.contrast.ratio);
  if (out.missing.empty()) out.text = verdict_ratio(verdict);
  return out;
}

Value p_value(const Verdict& verdict, double p) {
  return verdict.weighed() ? number_value(p, 1, "refused") : nothing(verdict);
}

Column median_column(const char* key, const char* title) {
  return {key, title, "", Quantity::cost, Centre::median, false, true};
}

std::vector<Column> columns_of(bool systems) {
  std::vector<Column> out{name_column("workload", "workload"), name_column("metric", "metric"),
                          name_column("cell_a", systems ? "A" : "cell")};
  if (systems) out.push_back(name_column("cell_b", "B"));
  out.push_back(name_column("verdict", "verdict"));
  Column ratio{"ratio", systems ? "speed A / B" : "B / A", "", Quantity::ratio, Centre::hodges_lehmann, false, true};
  ratio.base = systems ? "B" : "A";
  out.push_back(ratio);
  out.push_back(median_column("a", "A (ms, MiB)"));
  out.push_back(median_column("b", "B (ms, MiB)"));
  out.push_back(count_column("p", "p"));
  out.push_back(count_column("q", "q"));
  out.push_back(name_column("note", "note"));
  return out;
}

}  // namespace

std::string verdict_key(const Verdict& verdict) {
  const std::string& a = verdict.cell().text;
  const std::string& b = verdict.cell_b.text;
  return verdict.metric + ": " + a + (b.empty() || b == a ? "" : " / " + b);
}

Table verdicts_table(const snapshot::CampaignComparison& comparison) {
  const bool systems = comparison.relation == Relation::systems;
  Table out;
  out.title = "Verdicts";
  out.columns = columns_of(systems);
  for (const Verdict& verdict : comparison.verdicts) {
    Row row{verdict_key(verdict),
            {text_value(verdict.cell().workload), text_value(is_time(verdict) ? "time a step" : "peak memory"),
             text_value(how_label(systems ? verdict.cell_a : verdict.cell(), true))}};
    if (systems) row.values.push_back(text_value(how_label(verdict.cell_b, true)));
    row.values.insert(row.values.end(), {text_value(verdict_words(verdict, comparison.relation)), ratio_value(verdict),
                                         side_value(verdict, verdict.a), side_value(verdict, verdict.b),
                                         p_value(verdict, verdict.contrast.p), p_value(verdict, verdict.contrast.q),
                                         text_value(verdict_note(verdict))});
    out.rows.push_back(std::move(row));
  }
  name_intervals(out);
  return out;
}

}  // namespace lockstep::report
