#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/cell_words.h"
#include "results/report/figures.h"
#include "results/report/tables.h"
#include "results/report/values.h"
#include "results/snapshot/efficiency.h"

namespace lockstep::report {
namespace {

using snapshot::CellSnapshot;
using snapshot::WorkloadGroup;

constexpr double kMebibyte = 1048576, kKilobyte = 1000;

Value memory_value(const CellSnapshot& cell) {
  Value out = estimate_value(cell.peak_memory_bytes, kMebibyte);
  return out.missing.empty() && out.estimate.value == 0 ? missing_value("not measured") : out;
}

Value sent_value(const CellSnapshot& cell) {
  if (cell.cell.ranks == 1) return missing_value("one rank");
  Value out = number_value(cell.bytes_sent, kKilobyte);
  if (cell.bytes_modelled && out.missing.empty()) out.text = "~" + out.text;
  return out;
}

Value serial_value(const CellSnapshot& cell) {
  Value out = efficiency_value(cell.against_serial);
  if (cell.is_base) out.text = "base";
  return out;
}

std::string remarks_text(const CellSnapshot& cell, int64_t campaign) {
  std::vector<std::string> all;
  for (const Remark& remark : remarks_of(cell, campaign)) {
    all.push_back(remark.text + (remark.command.empty() ? "" : "; log: " + remark.command));
  }
  for (const std::string& mark : cell.marks) all.push_back("marked " + mark);
  return fmt::format("{}", fmt::join(all, "; "));
}

std::vector<Column> columns_of(const WorkloadGroup& group, Counted what, bool copies) {
  std::vector<Column> out{name_column("system", "system"), name_column("strategy", "strategy"),
                          throughput_column(what, unit_of(group).name), serial_efficiency_column()};
  if (copies) out.push_back(copies_efficiency_column());
  out.push_back(name_column("proof", "equal work"));
  out.push_back(name_column("remarks", "remarks"));
  out.push_back({"peak_memory_bytes", "peak memory", "MiB", Quantity::cost, Centre::median, false, true});
  out.push_back({"bytes_sent_per_rank_and_step", "sent per rank and step", "kB", Quantity::cost, Centre::median});
  return out;
}

Row row_of_cell(const CellSnapshot& cell, Counted what, bool copies, double scale, int64_t campaign) {
  Row row{cell.cell.text, {text_value(cell.cell.system), text_value(strategy_of(cell.cell))}};
  row.values.push_back(throughput_value(cell, what, scale));
  row.values.push_back(serial_value(cell));
  if (copies) row.values.push_back(efficiency_value(cell.against_copies));
  row.values.push_back(text_value(equal_work(cell.proof)));
  row.values.push_back(text_value(remarks_text(cell, campaign)));
  row.values.push_back(memory_value(cell));
  row.values.push_back(sent_value(cell));
  return row;
}

}  // namespace

Table results_table(const WorkloadGroup& group, int64_t campaign) {
  const auto any = [&](auto has) { return std::any_of(group.cells.begin(), group.cells.end(), has); };
  const Counted what = counted(group);
  const bool copies = any([](const CellSnapshot& cell) { return cell.is_copies; });
  Table out;
  out.title = title_of(group);
  out.columns = columns_of(group, what, copies);
  const double scale = unit_of(group).size;
  for (const CellSnapshot& cell : group.cells) {
    out.rows.push_back(row_of_cell(cell, what, copies, scale, campaign));
  }
  name_intervals(out);
  const bool commands = any([](const CellSnapshot& cell) { return snapshot::is_command(cell.cell); });
  out.notes = {fmt::format("Peak memory: {}. Sent: kB are 1000 B; ~ is modelled, not counted.",
                           commands
                               ? "largest sum, sampled, of the RSS of all processes at once; shared pages count in each"
                               : "sum over processes of each one's peak PSS")};
  if (copies) out.notes.emplace_back("On fabric null nothing is communicated: a measuring device, not a way to train.");
  return out;
}

}  // namespace lockstep::report
