#include <cmath>

#include "results/json/writer.h"
#include "results/report/render.h"
#include "results/report/sentences.h"
#include "results/report/verdict_json.h"
#include "results/snapshot/comparisons.h"

namespace lockstep::report {
namespace {

using snapshot::CellSnapshot;

void write_estimate(json::Writer& out, const char* name, const stats::Estimate& estimate, bool unequal = false) {
  if (!estimate.ok() || std::isnan(estimate.value)) return;
  out.key(name).open_object().member("value", estimate.value).member("n", estimate.n);
  if (estimate.level > 0) {
    out.key("interval").open_array().value(estimate.low).value(estimate.high).close().member("level", estimate.level);
  }
  if (unequal) out.member("equal_work", "FAILED");
  out.close();
}

void write_efficiency(json::Writer& out, const char* name, const snapshot::Efficiency& efficiency) {
  if (efficiency.base.empty()) return;
  write_estimate(out, name, efficiency.estimate);
  out.member(std::string(name) + "_base", efficiency.base);
}

void write_reasons(json::Writer& out, const CellSnapshot& cell) {
  out.key("reasons").open_array();
  for (const snapshot::Reason& reason : cell.reasons) {
    out.open_object().member("status", store::to_text(reason.status)).member("count", reason.count);
    out.member("launch", reason.launch).key("error").open_object().member("kind", reason.kind);
    out.member("message", reason.message).close().close();
  }
  out.close();
}

void write_loss_curve(json::Writer& out, const snapshot::LossCurve& curve) {
  if (curve.points.empty()) return;
  out.key("loss_curve").open_object().member("launch", curve.launch).member("steps", curve.steps);
  const auto column = [&](const char* name, auto member) {
    out.key(name).open_array();
    for (const snapshot::LossPoint& point : curve.points) out.value(point.*member);
    out.close();
  };
  column("step", &snapshot::LossPoint::step), column("time_s", &snapshot::LossPoint::time_s);
  column("loss", &snapshot::LossPoint::loss);
  out.close();
}

void write_quality(json::Writer& out, const snapshot::Quality& quality) {
  if (quality.launches.empty()) return;
  out.key("quality").open_object().member("metric", quality.target->metric);
  out.member(quality.target->at_least ? "at_least" : "at_most", quality.target->value);
  out.member("reached", quality.reached());
  write_estimate(out, "best", quality.best);
  write_estimate(out, "steps_to_target", quality.steps);
  write_estimate(out, "samples_to_target", quality.samples);
  write_estimate(out, "time_s_to_target", quality.time_s);
  out.key("launches").open_array();
  for (const snapshot::LaunchQuality& one : quality.launches) {
    out.open_object().member("launch", one.launch).member("seed", one.seed);
    if (one.reached) {
      out.member("steps_to_target", one.reached->step).member("samples_to_target", one.reached->samples);
      out.known("time_s_to_target", one.reached->time_s);
    }
    out.known("best", one.best).known("last", one.last).close();
  }
  out.close().close();
}

void write_breakdown(json::Writer& out, const snapshot::Breakdown& breakdown) {
  if (breakdown.launch == 0) return;
  out.key("breakdown").open_object().member("launch", breakdown.launch).member("dropped", breakdown.dropped);
  out.known("why_not", breakdown.why_not).key("ranks").open_array();
  for (const snapshot::RankBreakdown& rank : breakdown.ranks) {
    out.open_object().member("rank", rank.rank).member("steps", rank.steps);
    out.known("compute_s_per_step", rank.s_per_step(rank.compute_ns));
    out.known("data_s_per_step", rank.s_per_step(rank.data_ns));
    out.known("waiting_s_per_step", rank.s_per_step(rank.waiting_ns));
    out.known("transfer_s_per_step", rank.s_per_step(rank.transfer_ns));
    out.known("other_s_per_step", rank.s_per_step(rank.other_ns)).close();
  }
  out.close().close();
}

void write_cell(json::Writer& out, const CellSnapshot& c) {
  out.open_object().member("cell", c.cell.text).member("system", c.cell.system).member("strategy", c.cell.strategy);
  out.known("fabric", c.cell.fabric).member("ranks", c.cell.ranks).member("finished", c.counts.finished);
  out.member("failed", c.counts.failed).member("skipped", c.counts.skipped).member("interrupted", c.counts.interrupted);
  const char* unit = c.tokens         ? "throughput_tokens_per_s"
                     : c.counts_steps ? "throughput_steps_per_s"
                                      : "throughput_samples_per_s";
  write_estimate(out, unit, c.throughput);
  write_estimate(out, "step_s", c.step_s);
  write_estimate(out, "peak_memory_bytes", c.peak_memory_bytes);
  out.known("bytes_sent_per_rank_and_step", c.bytes_sent).member("bytes_modelled", c.bytes_modelled);
  out.known("messages_per_rank_and_step", c.messages).known("first_loss", c.first_loss).known("last_loss", c.last_loss);
  write_efficiency(out, "efficiency_own_serial", c.against_serial);
  write_efficiency(out, "efficiency_copies", c.against_copies);
  write_loss_curve(out, c.loss_curve);
  write_quality(out, c.quality);
  write_breakdown(out, c.breakdown);
  out.member("proof", store::to_text(c.proof)).known("proof_reason", c.proof_reason).member("marks", c.marks);
  write_reasons(out, c);
  out.close();
}

void write_value(json::Writer& out, const Column& column, const Value& value) {
  if (!value.missing.empty()) {
    out.key(column.key).open_object().member("missing", value.missing).close();
  } else if (value.numeric) {
    write_estimate(out, column.key.c_str(), value.estimate, value.unequal);
  } else {
    out.member(column.key, value.text);
  }
}

const char* kind_text(snapshot::Comparison::Kind kind) {
  using Kind = snapshot::Comparison::Kind;
  switch (kind) {
    case Kind::systems:
      return "systems";
    case Kind::ranks:
      return "ranks";
    case Kind::fabrics:
      return "fabrics";
    case Kind::variants:
      break;
  }
  return "variants";
}

void write_comparisons(json::Writer& out, const snapshot::CampaignSnapshot& s) {
  const std::vector<snapshot::Comparison> all = snapshot::comparisons(s);
  out.key("comparisons").open_array();
  for (const snapshot::Comparison& c : all) {
    out.open_object().member("kind", kind_text(c.kind)).member("a", c.a.text).member("b", c.b.text);
    write_contrast(out, c.contrast);
    out.member("verdict", c.word).close();
  }
  out.close().member("sentences", sentences(s, all));
}

}  // namespace

std::string to_json(const std::vector<Table>& tables, const std::string& format) {
  json::Writer out;
  out.open_object().member("format", format).member("version", 1).key("tables").open_array();
  for (const Table& table : tables) {
    out.open_object().member("title", table.title).key("rows").open_array();
    for (const Row& row : table.rows) {
      out.open_object();
      for (size_t i = 0; i < row.values.size(); ++i) write_value(out, table.columns[i], row.values[i]);
      out.close();
    }
    out.close().close();
  }
  return out.close().close().text();
}

std::string to_json(const snapshot::CampaignSnapshot& s) {
  json::Writer out;
  out.open_object().member("format", "lockstep.report").member("version", 1).member("campaign", s.campaign.number);
  out.member("suite", s.campaign.suite).member("status", store::to_text(s.campaign.status));
  out.member("launches_finished", s.counts.finished).member("launches_failed", s.counts.failed);
  out.member("blocks", s.blocks).key("workloads").open_array();
  for (const snapshot::WorkloadGroup& group : s.groups) {
    out.open_object().member("workload", group.workload).member("steps", group.steps).member("warmup", group.warmup);
    if (!group.counts_steps) out.known("batch_samples", group.batch_samples);
    out.known("first_loss", group.first_loss);
    out.known("last_loss", group.last_loss).known("largest_loss_spread", group.largest_spread);
    out.key("cells").open_array();
    for (const CellSnapshot& cell : group.cells) write_cell(out, cell);
    out.close().close();
  }
  out.close();
  write_comparisons(out, s);
  return out.close().text();
}

}  // namespace lockstep::report
