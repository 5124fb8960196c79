#include "results/report/build.h"

#include <fmt/format.h>

#include "results/report/cell_words.h"
#include "results/report/header.h"
#include "results/report/lint.h"
#include "results/report/methods.h"
#include "results/report/plots.h"
#include "results/report/sentences.h"
#include "results/report/tables.h"

namespace lockstep::report {
namespace {

using snapshot::CampaignSnapshot;
using snapshot::WorkloadGroup;

Section overview_section(const CampaignSnapshot& snapshot, const std::vector<snapshot::Comparison>& comparisons) {
  Section out;
  out.title = "Overview";
  out.paragraphs.push_back(counts_line(snapshot));
  if (std::string left = never_started_line(snapshot); !left.empty()) out.paragraphs.push_back(std::move(left));
  out.findings = sentences(snapshot, comparisons);
  return out;
}

Section workload_section(const WorkloadGroup& group, int64_t campaign) {
  Section out;
  out.title = group.workload;
  out.paragraphs.push_back(title_of(group));
  for (auto& figure : {throughput_figure(group), efficiency_figure(group), loss_figure(group, campaign),
                       breakdown_figure(group, campaign)}) {
    if (figure) out.figures.push_back(*figure);
  }
  if (out.figures.empty()) out.paragraphs.emplace_back("No launch has finished: the table says why.");
  return out;
}

Section tables_section(const CampaignSnapshot& snapshot, const std::vector<snapshot::Comparison>& comparisons) {
  Section out;
  out.title = "Tables";
  for (const WorkloadGroup& group : snapshot.groups)
    out.tables.push_back(results_table(group, snapshot.campaign.number));
  for (const WorkloadGroup& group : snapshot.groups) {
    if (auto quality = quality_table(group)) out.tables.push_back(*std::move(quality));
  }
  if (!comparisons.empty()) out.tables.push_back(comparisons_table(comparisons));
  return out;
}

Section everything_section(const CampaignSnapshot& snapshot) {
  Section out;
  out.title = "Every figure";
  out.wide = true;
  out.commands = {fmt::format("lockstep report @{} --format csv", snapshot.campaign.number),
                  fmt::format("lockstep report @{} --json", snapshot.campaign.number)};
  out.tables.push_back(cells_table(snapshot));
  return out;
}

Section method_section(const ReportModel& model) {
  Section out;
  out.title = "Method";
  out.paragraphs.push_back(model.methods);
  std::vector<std::string> complaints = lint(model);
  if (complaints.empty())
    out.paragraphs.emplace_back("Checked by the rules for reports of docs/statistics.md: all hold.");
  for (std::string& complaint : complaints)
    out.paragraphs.push_back("Against a rule for reports: " + std::move(complaint));
  return out;
}

}  // namespace

ReportModel build_report(store::Store& store, const CampaignSnapshot& snapshot) {
  const Environments environments = environments_of(store, snapshot);
  const std::vector<snapshot::Comparison> comparisons = snapshot::comparisons(snapshot);
  ReportModel out;
  out.title = title_of(snapshot);
  out.setup = setup_of(snapshot, environments);
  out.parallel_time = parallel_time_of(snapshot);
  out.methods = methods_of(snapshot, environments, comparisons);
  out.sections.push_back(overview_section(snapshot, comparisons));
  for (const WorkloadGroup& group : snapshot.groups) {
    out.sections.push_back(workload_section(group, snapshot.campaign.number));
  }
  out.sections.push_back(tables_section(snapshot, comparisons));
  out.sections.push_back(everything_section(snapshot));
  out.sections.push_back(method_section(out));
  return out;
}

}  // namespace lockstep::report
