#include "gui/core/timeline/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adapters/contract/failure.h"
#include "adapters/contract/plural.h"
#include "gui/core/campaign.h"
#include "gui/core/filter.h"
#include "gui/core/timeline/flows.h"
#include "gui/core/timeline/imported_file.h"
#include "results/report/breakdowns.h"
#include "results/snapshot/selector.h"

namespace lockstep::gui::timeline {
namespace {

std::string selector_of(int64_t campaign, int64_t number) { return fmt::format("@{}.{}", campaign, number); }

std::vector<Recorded> recorded_in(store::Store& store, const store::CampaignRow& campaign, const std::string& filter) {
  const RowFilter parsed = parse_row_filter(filter);
  std::vector<Recorded> out;
  for (const store::LaunchRow& launch :
       store.launches({campaign.id, {}, store::LaunchMode::profile, store::LaunchStatus::finished})) {
    const std::optional<store::CellRow> cell = store.cell(launch.cell);
    if (cell && !matches(parsed, *cell)) continue;
    out.push_back({selector_of(campaign.number, launch.number), launch.cell});
  }
  return out;
}

std::string clock_note(store::Store& store, const store::LaunchRow& launch) {
  std::set<std::string> hosts;
  for (const store::ProcessRow& process : store.processes(launch.id)) hosts.insert(process.host);
  if (hosts.size() <= 1) return "All ranks ran on one machine, on one monotonic clock: their rows can be compared.";
  return fmt::format(
      "The ranks ran on {} machines, whose clocks are not aligned: compare lengths, not times, across machines.",
      hosts.size());
}

// A whole recording is stripes; in a few steps a person sees what each rank did when.
Range opening_of(const StepTimes& steps, const Columns& columns) {
  constexpr size_t kSteps = 3;
  const auto [begin, end] = span_ns(columns);
  const Range whole{static_cast<double>(begin), static_cast<double>(end)};
  if (steps.begin_ns.size() <= kSteps) return whole;
  auto first = std::next(steps.begin_ns.begin(), static_cast<ptrdiff_t>((steps.begin_ns.size() - kSteps) / 2));
  const auto after = std::next(first, kSteps);
  return around(static_cast<double>(first->second), static_cast<double>(after->second), whole);
}

std::string count_note(const Columns& measured, size_t steps) {
  std::set<int32_t> ranks;
  for (const Track& track : measured.tracks) ranks.insert(track.rank);
  const std::string dropped =
      measured.dropped == 0
          ? "no record was dropped"
          : fmt::format("{} records did not fit and were dropped: rows have holes, and totals are too small",
                        measured.dropped);
  return fmt::format("{} activities of {} in {}; {}.", measured.size(),
                     plural(static_cast<int64_t>(ranks.size()), "rank"),
                     plural(static_cast<int64_t>(steps), "recorded step"), dropped);
}

/// Progress of the whole from that of part `i` of `n`.
Progress part_of(const Progress& whole, size_t i, size_t n) {
  if (!whole) return {};
  return [&whole, i, n](double share) { whole((static_cast<double>(i) + share) / static_cast<double>(n)); };
}

/// Nothing where the launch has no trace.
std::shared_ptr<Launch> read(store::Store& store, const store::LaunchRow& launch, const std::string& selector,
                             const Progress& progress) {
  auto out = std::make_shared<Launch>();
  out->id = launch.id, out->selector = selector, out->cell = launch.cell;
  Columns measured, planned;
  const std::vector<std::filesystem::path> files = report::trace_files_of(store, store.path(), launch);
  for (size_t i = 0; i < files.size(); ++i) {
    Opened opened = open_trace(files[i], part_of(progress, i, files.size()));
    const std::vector<Track>& tracks = opened.columns.tracks;
    const bool plan = !tracks.empty() && tracks[0].origin == activity::Origin::planned;
    append(plan ? planned : measured, opened.columns);
    if (!opened.note.empty()) out->notes.push_back(opened.note);
  }
  if (measured.size() + planned.size() == 0) return nullptr;
  shift(measured, -span_ns(measured).first);
  out->steps = steps_of(measured);
  if (measured.size() == 0) {
    out->notes.emplace_back("Nothing was measured: only the plan is shown.");
  } else {
    out->notes.push_back(count_note(measured, out->steps.begin_ns.size()));
    out->notes.push_back(clock_note(store, launch));
  }
  if (planned.size() > 0) {
    Overlaid overlaid = overlay(planned, out->steps);
    append(measured, overlaid.columns);
    out->notes.push_back(overlaid.note);
  } else {
    out->notes.emplace_back("This launch has no planned timeline.");
  }
  out->timeline.zoom = ZoomTable(measured);
  out->timeline.partners = partners_of(measured);
  out->timeline.columns = std::move(measured);
  out->opening = opening_of(out->steps, out->timeline.columns);
  return out;
}

// What `lockstep run -w ...` calls the suite of its cells.
constexpr const char* kCellsOfACommand = "cells";
constexpr const char* kOnlyReference = "Only the system reference keeps timelines.";

std::string how_to_record(const store::CampaignRow& campaign, const std::optional<store::CellRow>& cell) {
  if (cell && cell->system != "reference" && !cell->system.starts_with("reference:")) return kOnlyReference;
  std::string what = campaign.suite;
  if (cell) {
    what =
        fmt::format("-w {} -s {}{}", cell->workload, cell->strategy, cell->fabric.empty() ? "" : " -f " + cell->fabric);
  } else if (what.empty() || what == kCellsOfACommand) {
    what = "-w WORKLOAD -s STRATEGY";
  }
  return fmt::format("Record one: lockstep run {} --profile. {}", what, kOnlyReference);
}

/// The launch that the view names, and its campaign.
struct Named {
  store::LaunchRow launch;
  store::CampaignRow campaign;
  std::string selector;
};

Named named(store::Store& store, const std::string& text) {
  const snapshot::LaunchSelector selector = snapshot::parse_launch_selector(text);
  const store::CampaignRow campaign = snapshot::resolve(store, selector.campaign);
  return {snapshot::resolve(store, selector), campaign, selector_of(campaign.number, selector.number)};
}

struct Reading {
  const std::vector<std::shared_ptr<const Launch>>& known;
  const Progress& progress;
};

std::shared_ptr<const Launch> timeline_of(store::Store& store, const store::LaunchRow& launch,
                                          const std::string& selector, const Reading& reading) {
  for (const std::shared_ptr<const Launch>& one : reading.known) {
    if (one && one->id == launch.id) return one;
  }
  return read(store, launch, selector, reading.progress);
}

/// The launch's own timeline, else that of the recorded launch of its cell in its campaign.
std::shared_ptr<const Launch> shown_for(store::Store& store, const std::string& text, const Reading& reading,
                                        Loaded& out) {
  const Named wanted = named(store, text);
  try {
    if (auto own = timeline_of(store, wanted.launch, wanted.selector, reading)) return own;
  } catch (const Failure& failure) {
    if (failure.kind() == "interrupted") throw;
    out.missing = fmt::format("The timeline of launch {} cannot be read: {}", wanted.selector, failure.what());
    return nullptr;
  }
  for (const store::LaunchRow& launch : store.launches(
           {wanted.launch.campaign, wanted.launch.cell, store::LaunchMode::profile, store::LaunchStatus::finished})) {
    auto recorded = timeline_of(store, launch, selector_of(wanted.campaign.number, launch.number), reading);
    if (!recorded) continue;
    out.redirected = fmt::format("Launch {} has no timeline of its own: this is {}, the recorded launch of its cell.",
                                 wanted.selector, recorded->selector);
    return recorded;
  }
  out.missing = fmt::format("Launch {} has no timeline. {}", wanted.selector,
                            how_to_record(wanted.campaign, store.cell(wanted.launch.cell)));
  return nullptr;
}

}  // namespace

Loaded load(store::Store& store, const ViewState& view, const std::vector<std::shared_ptr<const Launch>>& known,
            const Progress& progress) {
  Loaded out;
  const std::optional<store::CampaignRow> campaign = campaign_of(store, view);
  if (!campaign) {
    out.missing = kNoCampaign;
    return out;
  }
  out.recorded = recorded_in(store, *campaign, view.filter);
  const std::string wanted = !view.launch.empty() ? view.launch : out.recorded.empty() ? "" : out.recorded[0].selector;
  if (wanted.empty()) {
    out.missing =
        fmt::format("No launch of campaign @{}{} was recorded. {}", campaign->number,
                    view.filter.empty() ? "" : " that the filter leaves", how_to_record(*campaign, std::nullopt));
    return out;
  }
  const Reading reading{known, progress};
  out.wanted = wanted, out.wanted_other = view.option(kOtherOption, "");
  out.first = shown_for(store, wanted, reading, out);
  if (out.first && !out.wanted_other.empty()) out.other = shown_for(store, out.wanted_other, reading, out);
  return out;
}

}  // namespace lockstep::gui::timeline
