// The columns that several tables have.
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::report {
namespace {

Column efficiency_column(std::string key, std::string title, std::string base) {
  Column out{std::move(key), std::move(title), "", Quantity::ratio, Centre::hodges_lehmann, false, true};
  out.base = std::move(base);
  return out;
}

}  // namespace

Column name_column(std::string key, std::string title) { return {std::move(key), std::move(title)}; }

Column count_column(std::string key, std::string title) {
  return {std::move(key), std::move(title), "", Quantity::count};
}

Column throughput_column(Counted what, const std::string& unit) {
  const char* key = what == Counted::tokens  ? "throughput_tokens_per_s"
                    : what == Counted::steps ? "throughput_steps_per_s"
                                             : "throughput_samples_per_s";
  return {key, "throughput", unit, Quantity::rate, Centre::median, false, true};
}

Column serial_efficiency_column() {
  return efficiency_column("efficiency_own_serial", "efficiency against own serial",
                           "the serial cell of the same system on the same workload");
}

Column copies_efficiency_column() {
  return efficiency_column("efficiency_copies", "efficiency against copies",
                           "the same ranks at once on fabric null, without communication");
}

const char* centre_words(Centre centre) {
  return centre == Centre::hodges_lehmann ? "Hodges-Lehmann ratio over launches" : "median over launches";
}

void name_intervals(Table& table) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    Column& column = table.columns[i];
    if (!column.ranged) continue;
    std::vector<Value> values;
    for (const Row& row : table.rows) values.push_back(row.values[i]);
    column.interval = interval_text(values, centre_words(column.centre));
  }
}

Value throughput_value(const snapshot::CellSnapshot& cell, Counted what, double scale) {
  if (cell.launches.empty()) return missing_value("no finished launch");
  if (what != counted(cell)) return missing_value(std::string("it is counted in ") + unit_name(counted(cell)));
  return estimate_value(cell.throughput, scale);
}

Value efficiency_value(const snapshot::Efficiency& efficiency) {
  if (efficiency.base.empty()) return missing_value(efficiency.why_not);
  return estimate_value(efficiency.estimate);
}

}  // namespace lockstep::report
