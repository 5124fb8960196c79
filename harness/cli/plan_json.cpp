#include <fmt/format.h>

#include "harness/cli/plan_text.h"
#include "results/json/writer.h"

namespace lockstep::cli {
namespace {

void write_collectives(const plan::Description& d, json::Writer& out) {
  out.key("collectives").open_array();
  for (const plan::ExchangeLine& line : d.exchanges) {
    out.open_object().member("operation", line.operation).member("axis", line.axis);
    out.known("algorithm", std::string_view(line.algorithm)).member("why", line.why);
    out.key("places").open_array();
    for (const plan::ExchangeLine::Calls& calls : line.places) {
      out.open_object().member("calls", calls.count());
      out.member("buffer_bytes", calls.bytes()).member("sent_bytes", calls.sent).close();
    }
    out.close().close();
  }
  out.close();
}

void write_memory(const plan::MemoryPlan& memory, json::Writer& out) {
  out.key("peak_memory_bytes").open_object();
  out.member("parameters", memory.parameters).member("stashed", memory.stashed);
  out.member("gradients", memory.gradients);
  out.member("optimizer", memory.optimizer).member("activations", memory.activations);
  if (memory.offloaded > 0) out.member("offloaded", memory.offloaded);
  out.member("comm", memory.comm).member("total", memory.total()).close();
}

void write_places(const plan::Description& d, json::Writer& out) {
  out.key("places").open_array();
  for (const plan::PlaceView& place : d.places) {
    out.open_object().key("ranks").open_array();
    for (int rank : place.ranks) out.value(rank);
    out.close().key("stages").open_array();
    for (int stage : place.stages) out.value(stage);
    out.close().member("contents", place.contents).member("parameters", place.parameters);
    out.member("sent_bytes", place.sent).member("control_bytes", place.control).member("in_flight", place.in_flight);
    out.member("weight_versions", place.versions);
    write_memory(place.memory, out);
    if (!place.fill.empty()) out.member("fill", place.fill);
    out.member("actions", place.actions).close();
  }
  out.close();
}

void write_pipeline(const plan::Description& d, json::Writer& out) {
  if (!d.pipeline) return;
  const plan::PipelineView& view = *d.pipeline;
  out.key("pipeline").open_object().member("schedule", view.schedule).member("units", view.makespan);
  out.member("bubble_formula", view.formula).member("bubble", view.bubble);
  out.member("bubble_of_ideal", view.of_ideal()).member("bubble_of_these_stages", view.uneven_bubble).close();
}

}  // namespace

std::string plan_json(const workloads::Workload& workload, const plan::Description& d) {
  json::Writer out;
  out.open_object().member("format", "lockstep.plan").member("version", 2);
  out.member("workload", workload.text).member("strategy", d.strategy).member("ranks", d.ranks);
  out.member("batch", d.batch).member("microbatches", d.microbatches).member("parameters", d.parameters);
  out.member("samples_most", d.most).member("samples_fewest", d.fewest).member("model_flops", d.model_flops);
  out.member("peak_memory_bytes_most", d.peak_bytes()).member("sent_bytes_most", d.sent_bytes());
  out.member("mesh", d.groups);
  write_places(d, out);
  write_collectives(d, out);
  write_pipeline(d, out);
  return out.close().text();
}

std::string search_json(const workloads::Workload& workload, const plan::Search& search, int ranks, int64_t fit_bytes) {
  json::Writer out;
  out.open_object().member("format", "lockstep.plan_search").member("version", 1);
  out.member("workload", workload.text).member("ranks", ranks).member("batch", workload.recipe.batch);
  if (fit_bytes > 0) out.member("fit_bytes", fit_bytes);
  out.key("strategies").open_array();
  for (const plan::Candidate& candidate : search.candidates) {
    out.open_object().member("strategy", text::print(candidate.strategy));
    out.member("status", candidate.kind.empty() ? "fits" : candidate.legal() ? "too_large" : "refused");
    if (candidate.legal()) {
      out.member("peak_memory_bytes", candidate.peak_bytes).member("sent_bytes", candidate.sent_bytes);
      out.member("bubble", candidate.bubble);
    }
    if (!candidate.kind.empty()) {
      out.key("error").open_object().member("kind", candidate.kind).member("message", candidate.reason).close();
    }
    out.close();
  }
  out.close().member("idle_axes", search.idle_axes).member("not_tried", search.not_tried);
  return out.close().text();
}

}  // namespace lockstep::cli
