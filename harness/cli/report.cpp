#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/cli/revision.h"
#include "results/json/writer.h"
#include "results/report/breakdowns.h"
#include "results/report/build.h"
#include "results/report/cell_words.h"
#include "results/report/formats.h"
#include "results/report/pivot.h"
#include "results/report/render.h"
#include "results/report/save.h"
#include "results/report/tables.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {
namespace {

using report::ReportModel;
using snapshot::CampaignSnapshot;

constexpr std::array kFormats = {"table", "json", "csv", "markdown", "latex", "html"};

std::string format_of(const Arguments& arguments, const Context& context) {
  const std::string format = context.json ? "json" : arguments.text("format", "table");
  if (std::find(kFormats.begin(), kFormats.end(), format) == kFormats.end()) {
    refuse({"", "--format", format, fmt::format("one of {}", fmt::join(kFormats, ", ")), "lockstep report --help"});
  }
  return format;
}

std::string csv_command(const CampaignSnapshot& snapshot) {
  return fmt::format("lockstep report @{} --format csv", snapshot.campaign.number);
}

std::string campaign_text(store::Store& store, const CampaignSnapshot& snapshot, const std::string& format) {
  if (format == "table") return report::table(store, snapshot);
  if (format == "json") return report::to_json(snapshot);
  if (format == "csv") return report::csv(report::cells_table(snapshot));
  const ReportModel model = report::build_report(store, snapshot);
  if (format == "markdown") return report::markdown(model, csv_command(snapshot));
  return format == "latex" ? report::latex(model) : report::html(model);
}

bool wants_pivot(const Arguments& arguments) {
  return arguments.has("row") || arguments.has("col") || arguments.has("base") || arguments.has("metric");
}

std::string pivot_text(const CampaignSnapshot& snapshot, const Arguments& arguments, const std::string& format) {
  report::PivotRequest request;
  request.row = arguments.text("row", request.row), request.col = arguments.text("col", request.col);
  request.base = arguments.text("base"), request.metric = arguments.text("metric", request.metric);
  const std::vector<report::Table> tables = report::pivot(snapshot, request);
  if (format == "json") return report::to_json(tables);
  std::string text;
  if (format == "csv") return report::csv(report::joined(tables));
  if (format == "table") {
    for (const report::Table& table : tables) text += (text.empty() ? "" : "\n") + report::terminal(table);
    return text;
  }
  ReportModel model;
  model.title = report::title_of(snapshot);
  model.sections.emplace_back();
  model.sections.back().title = request.metric, model.sections.back().tables = tables;
  if (format == "markdown") return report::markdown(model, csv_command(snapshot));
  return format == "latex" ? report::latex(model) : report::html(model);
}

std::string methods_text(store::Store& store, const CampaignSnapshot& snapshot, const std::string& format) {
  const std::string methods = report::build_report(store, snapshot).methods;
  if (format != "json") return methods + "\n";
  json::Writer out;
  out.open_object().member("format", "lockstep.methods").member("version", 1).member("methods", methods);
  return out.close().text();
}

}  // namespace

int report(const Arguments& arguments, const Context& context) {
  const std::string format = format_of(arguments, context);
  store::Store store = context.open_store();
  const snapshot::Selector selector =
      snapshot::parse_selector(with_revision(store, "SELECTOR", arguments.text("SELECTOR", "@last")));
  CampaignSnapshot snapshot = snapshot::load(store, snapshot::resolve(store, selector.campaign), selector.filter);
  if (format == "json" || format == "html") report::add_breakdowns(store, context.store, snapshot);
  const std::string text = arguments.has("methods") ? methods_text(store, snapshot, format)
                           : wants_pivot(arguments) ? pivot_text(snapshot, arguments, format)
                                                    : campaign_text(store, snapshot, format);
  const std::string chosen = arguments.text("output");
  if (chosen.empty() && format != "html") {
    context.print(text);
    return 0;
  }
  const std::filesystem::path file =
      chosen.empty() ? report::html_file(snapshot.campaign) : std::filesystem::path(chosen);
  report::save(file, text);
  context.print(file.string() + "\n");
  return 0;
}

}  // namespace lockstep::cli
