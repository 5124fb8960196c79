#include <fmt/format.h>

#include <map>

#include "harness/cli/commands.h"
#include "harness/cli/launch_proof.h"
#include "harness/cli/revision.h"
#include "results/json/writer.h"
#include "results/report/cell_words.h"
#include "results/report/figures.h"
#include "results/snapshot/selector.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::cli {
namespace {

std::string when(int64_t utc_ns) { return store::utc_text(utc_ns).substr(0, 16) + "Z"; }

int list_campaigns(store::Store& store, const Context& context) {
  const auto campaigns = store.campaigns();
  if (context.json) {
    json::Writer out;
    out.open_object().member("format", "lockstep.campaigns").member("version", 1).key("campaigns").open_array();
    for (const store::CampaignRow& c : campaigns) {
      out.open_object().member("number", c.number).member("id", c.id).member("suite", c.suite);
      out.member("status", store::to_text(c.status)).member("planned_launches", c.planned_launches);
      out.member("started", store::utc_text(c.started_utc_ns));
      if (c.ended_utc_ns > 0) out.member("ended", store::utc_text(c.ended_utc_ns));
      out.member("host", c.host).member("tags", c.tags).member("command_line", c.command_line).close();
    }
    context.print(out.close().close().text());
    return 0;
  }
  report::Columns columns;
  columns.add({"campaign", "started", "status", "launches", "suite", "tags"});
  for (const store::CampaignRow& c : campaigns) {
    columns.add({fmt::format("@{}", c.number), when(c.started_utc_ns), store::to_text(c.status),
                 std::to_string(c.planned_launches), c.suite, fmt::format("{}", fmt::join(c.tags, " "))});
  }
  context.print(columns.text(6));
  return 0;
}

/// A launch with what a list tells of it.
struct LaunchLine {
  store::LaunchRow launch;
  store::CellRow cell;
  snapshot::LaunchFigures figures;
  store::ProofState proof = store::ProofState::none;
};

std::vector<LaunchLine> lines_of(store::Store& store, const snapshot::Selector& selector) {
  const store::CampaignRow campaign = snapshot::resolve(store, selector.campaign);
  std::map<std::string, store::CellRow> cells;
  for (const store::CellRow& cell : store.cells(campaign.id)) cells.emplace(cell.text, cell);
  std::vector<LaunchLine> lines;
  for (const store::LaunchRow& launch : store.launches({campaign.id, {}, {}, {}})) {
    const store::CellRow& cell = cells.at(launch.cell);
    if (!snapshot::matches(selector.filter, cell) || !snapshot::matches(selector.filter, launch)) continue;
    lines.push_back({launch, cell, snapshot::figures(launch, store.series(launch.id), store.processes(launch.id)),
                     launch_proof(store, launch).state});
  }
  return lines;
}

void write_line(json::Writer& out, const LaunchLine& line) {
  const store::LaunchRow& l = line.launch;
  const std::string& workload = line.cell.workload;
  const size_t colon = workload.find(':');
  out.open_object().member("id", l.id).member("number", l.number).member("cell", l.cell);
  out.member("workload", workload.substr(0, colon));
  out.member("preset", workload.substr(colon + 1, workload.find(',') - colon - 1));
  out.member("system", line.cell.system).member("strategy", line.cell.strategy).known("fabric", line.cell.fabric);
  out.member("ranks", line.cell.ranks).member("mode", store::to_text(l.mode)).member("block", l.block);
  out.member("status", store::to_text(l.status));
  if (!l.error_kind.empty()) {
    out.key("error").open_object().member("kind", l.error_kind).member("message", l.error_message).close();
  }
  out.member("proof", store::to_text(line.proof)).member("marks", l.marks);
  if (l.status == store::LaunchStatus::finished) {
    const bool steps = line.figures.counts_steps;
    out.known(steps ? "throughput_steps_per_s" : "throughput_samples_per_s", line.figures.samples_per_s);
    if (line.figures.tokens_per_s > 0) out.member("throughput_tokens_per_s", line.figures.tokens_per_s);
    out.known("step_s", line.figures.step_s).known("peak_memory_bytes", line.figures.peak_memory_bytes);
    out.known("bytes_sent_per_rank_and_step", line.figures.bytes_sent).known("last_loss", line.figures.last_loss);
  }
  out.close();
}

int list_launches(store::Store& store, const std::string& text, const Context& context) {
  const std::vector<LaunchLine> lines =
      lines_of(store, snapshot::parse_selector(with_revision(store, "SELECTOR", text)));
  if (context.json) {
    json::Writer out;
    out.open_object().member("format", "lockstep.launches").member("version", 1).key("launches").open_array();
    for (const LaunchLine& line : lines) write_line(out, line);
    context.print(out.close().close().text());
    return 0;
  }
  report::Columns columns;
  columns.add({"launch", "mode", "block", "status", "cell", "speed", "equal work"});
  for (const LaunchLine& line : lines) {
    const store::LaunchRow& l = line.launch;
    columns.add({fmt::format(".{}", l.number), store::to_text(l.mode), std::to_string(l.block + 1),
                 l.error_kind.empty() ? store::to_text(l.status)
                                      : fmt::format("{}: {}", store::to_text(l.status), l.error_kind),
                 l.cell, report::rate_text(line.figures),
                 line.proof == store::ProofState::none ? "" : report::equal_work(line.proof)});
  }
  context.print(columns.text(7));
  return 0;
}

}  // namespace

int list(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  if (!arguments.has("SELECTOR")) return list_campaigns(store, context);
  return list_launches(store, arguments.text("SELECTOR"), context);
}

}  // namespace lockstep::cli
