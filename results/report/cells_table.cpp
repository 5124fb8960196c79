#include <fmt/format.h>

#include "results/report/cell_words.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::report {
namespace {

using snapshot::CellSnapshot;

/// One column of the table of everything.
struct Field {
  Column column;
  Value (*value)(const CellSnapshot&);
};

Value text_or(const std::string& text, const char* reason) {
  return text.empty() ? Value{"-", {}, false, reason} : text_value(text);
}

Value measured(const CellSnapshot& cell, const stats::Estimate& estimate) {
  return cell.launches.empty() ? missing_value("no finished launch") : estimate_value(estimate);
}

Value of_launches(const CellSnapshot& cell, double number) {
  return cell.launches.empty() ? missing_value("no finished launch") : number_value(number);
}

std::string joined_marks(const CellSnapshot& cell) { return fmt::format("{}", fmt::join(cell.marks, "; ")); }

Column estimate_column(std::string key, std::string title, std::string unit, Quantity quantity) {
  return {std::move(key), std::move(title), std::move(unit), quantity, Centre::median, false, true};
}

// Counted, not timed: the same in every launch.
Column counted_column(std::string key, std::string title, std::string unit) {
  return {std::move(key), std::move(title), std::move(unit), Quantity::cost, Centre::median};
}

Column loss_column(std::string key, std::string title) {
  Column out{std::move(key), std::move(title), "nat", Quantity::cost, Centre::median, false};
  out.interval = "none: each launch has a seed of its own, the same in every cell of a block";
  return out;
}

std::vector<Field> identity_fields() {
  return {{name_column("workload", "workload"), [](const CellSnapshot& c) { return text_value(c.cell.workload); }},
          {name_column("preset", "preset"), [](const CellSnapshot& c) { return text_value(c.preset); }},
          {name_column("system", "system"), [](const CellSnapshot& c) { return text_value(c.cell.system); }},
          {name_column("strategy", "strategy"), [](const CellSnapshot& c) { return text_value(c.cell.strategy); }},
          {name_column("fabric", "fabric"), [](const CellSnapshot& c) { return text_or(c.cell.fabric, "one rank"); }},
          {count_column("ranks", "ranks"), [](const CellSnapshot& c) { return count_value(c.cell.ranks); }},
          {count_column("finished", "finished"), [](const CellSnapshot& c) { return count_value(c.counts.finished); }},
          {count_column("failed", "failed"), [](const CellSnapshot& c) { return count_value(c.counts.failed); }},
          {count_column("skipped", "skipped"), [](const CellSnapshot& c) { return count_value(c.counts.skipped); }},
          {count_column("interrupted", "interrupted"),
           [](const CellSnapshot& c) { return count_value(c.counts.interrupted); }}};
}

std::vector<Field> measured_fields() {
  return {{throughput_column(Counted::samples, "samples/s"),
           [](const CellSnapshot& c) { return throughput_value(c, Counted::samples); }},
          {throughput_column(Counted::tokens, "tokens/s"),
           [](const CellSnapshot& c) { return throughput_value(c, Counted::tokens); }},
          {throughput_column(Counted::steps, "steps/s"),
           [](const CellSnapshot& c) { return throughput_value(c, Counted::steps); }},
          {estimate_column("step_s", "time a step", "s", Quantity::cost),
           [](const CellSnapshot& c) { return measured(c, c.step_s); }},
          {estimate_column("peak_memory_bytes", "peak memory", "B", Quantity::cost),
           [](const CellSnapshot& c) { return measured(c, c.peak_memory_bytes); }},
          {counted_column("bytes_sent_per_rank_and_step", "sent per rank and step", "B"),
           [](const CellSnapshot& c) { return of_launches(c, c.bytes_sent); }},
          {counted_column("messages_per_rank_and_step", "messages per rank and step", "1"),
           [](const CellSnapshot& c) { return of_launches(c, c.messages); }},
          {loss_column("first_loss", "first loss"), [](const CellSnapshot& c) { return of_launches(c, c.first_loss); }},
          {loss_column("last_loss", "last loss"), [](const CellSnapshot& c) { return of_launches(c, c.last_loss); }},
          {serial_efficiency_column(), [](const CellSnapshot& c) { return efficiency_value(c.against_serial); }},
          {copies_efficiency_column(), [](const CellSnapshot& c) { return efficiency_value(c.against_copies); }}};
}

std::vector<Field> word_fields() {
  return {
      {name_column("bytes_modelled", "bytes are"),
       [](const CellSnapshot& c) { return text_value(c.bytes_modelled ? "modelled" : "counted"); }},
      {name_column("efficiency_own_serial_base", "base: own serial"),
       [](const CellSnapshot& c) { return text_or(c.against_serial.base, "no base"); }},
      {name_column("efficiency_copies_base", "base: copies"),
       [](const CellSnapshot& c) { return text_or(c.against_copies.base, "no base"); }},
      {name_column("proof", "equal work"), [](const CellSnapshot& c) { return text_value(store::to_text(c.proof)); }},
      {name_column("proof_reason", "reason of the proof"),
       [](const CellSnapshot& c) { return text_or(c.proof_reason, "none needed"); }},
      {name_column("marks", "marks"), [](const CellSnapshot& c) { return text_or(joined_marks(c), "none"); }}};
}

// Why the launches that are not there are not, each with the command that shows more.
Value remarks_value(const CellSnapshot& cell, int64_t campaign) {
  std::string text;
  for (const Remark& remark : remarks_of(cell, campaign)) {
    text += (text.empty() ? "" : "\n") + remark.text + (remark.command.empty() ? "" : "; " + remark.command);
  }
  return text_or(text, "none");
}

}  // namespace

Table cells_table(const snapshot::CampaignSnapshot& snapshot) {
  std::vector<Field> fields = identity_fields();
  for (auto& more : {measured_fields(), word_fields()}) fields.insert(fields.end(), more.begin(), more.end());
  Table out;
  out.title = "Every figure of every cell, in base units";
  for (const Field& field : fields) out.columns.push_back(field.column);
  out.columns.push_back(name_column("reasons", "reasons"));
  each_cell(snapshot, [&](const CellSnapshot& cell) {
    Row row{cell.cell.text, {}};
    for (const Field& field : fields) row.values.push_back(field.value(cell));
    row.values.push_back(remarks_value(cell, snapshot.campaign.number));
    out.rows.push_back(std::move(row));
  });
  name_intervals(out);
  return out;
}

}  // namespace lockstep::report
