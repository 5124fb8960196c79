#include "gui/core/schedule_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "adapters/contract/plural.h"
#include "reference_trainer/plan/describe.h"
#include "reference_trainer/plan/describe_words.h"
#include "reference_trainer/plan/schedule/picture.h"
#include "reference_trainer/plan/schedule/simulate.h"
#include "reference_trainer/plan/schedule/table.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::gui {
namespace {

using schedule::Schedule;

std::vector<ScheduleBox> boxes_of(const Schedule& schedule, const schedule::Simulation& simulation) {
  std::vector<ScheduleBox> out;
  for (const schedule::Interval& interval : simulation.intervals) {
    if (!schedule::computes(interval.kind)) continue;
    out.push_back({interval.rank, interval.start, interval.end - interval.start, interval.kind, interval.stage,
                   interval.microbatch, schedule::label(schedule, interval)});
  }
  std::stable_sort(out.begin(), out.end(), [](const ScheduleBox& a, const ScheduleBox& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.start < b.start;
  });
  return out;
}

std::vector<ScheduleBubble> bubbles_of(const SchedulePicture& picture) {
  std::vector<ScheduleBubble> out;
  size_t next = 0;
  for (int rank = 0; rank < static_cast<int>(picture.rows.size()); ++rank) {
    double free_from = 0;
    for (; next < picture.boxes.size() && picture.boxes[next].rank == rank; ++next) {
      const ScheduleBox& box = picture.boxes[next];
      if (box.start > free_from) out.push_back({rank, free_from, box.start - free_from});
      free_from = std::max(free_from, box.end());
    }
    if (free_from < picture.makespan) out.push_back({rank, free_from, picture.makespan - free_from});
  }
  return out;
}

/// "4 on stage 0, 3 on stage 1, 2 on others": the ranks of each number, most first.
std::string in_flight_text(const SchedulePicture& picture) {
  const auto [least, most] = std::minmax_element(picture.in_flight.begin(), picture.in_flight.end());
  if (*least == *most) return fmt::format("{} on each rank", *most);
  const auto place = static_cast<size_t>(most - picture.in_flight.begin());
  return fmt::format("{} on {}, {} where there are fewest", *most, picture.rows[place], *least);
}

report::Table box_table(const SchedulePicture& picture) {
  report::Table out;
  out.title = picture.title;
  out.columns = {report::name_column("rank", "rank"),          report::name_column("action", "action"),
                 report::count_column("stage", "stage"),       report::count_column("microbatch", "microbatch"),
                 report::count_column("start_units", "start"), report::count_column("length_units", "length")};
  for (const ScheduleBox& box : picture.boxes) {
    out.rows.push_back(
        {"",
         {report::text_value(picture.rows[static_cast<size_t>(box.rank)]), report::text_value(words_of(box.kind)),
          report::count_value(box.stage), report::count_value(box.microbatch), report::number_value(box.start),
          report::number_value(box.length)}});
  }
  out.notes = {"Times are in units of a stage's forward pass; stages are equal, transfers take no time."};
  return out;
}

}  // namespace

SchedulePicture picture_of(const Schedule& schedule) {
  const plan::PipelineView view = plan::pipeline_view(schedule);
  const schedule::Simulation simulation = schedule::simulate(schedule, {{schedule::Times{}}, 0});
  const schedule::Row& row = schedule::find_schedule(schedule.name);
  SchedulePicture out;
  out.title = fmt::format("{}: pipeline of {} ranks, {}", schedule.name, schedule.size(),
                          plural(schedule.numbers.microbatches, "microbatch", "microbatches"));
  for (int rank = 0; rank < schedule.size(); ++rank) out.rows.push_back(schedule::row_name(schedule, rank));
  out.boxes = boxes_of(schedule, simulation);
  out.makespan = simulation.makespan;
  out.bubbles = bubbles_of(out);
  out.in_flight = simulation.most_held;
  out.words = {
      plan::schedule_line(view) + ".", fmt::format("Idle: {}.", plan::bubble_lines(view).front()),
      fmt::format("Activations in flight, at most: {}; by the formula {}.", in_flight_text(out), row.in_flight_text),
      fmt::format("Source: {}.", row.source)};
  out.table = box_table(out);
  return out;
}

std::string tip_of(const SchedulePicture& picture, const ScheduleBox& box) {
  return fmt::format("{} on {}\n{} of microbatch {}, stage {}\nstart {:g}, length {:g}, end {:g}", box.label,
                     picture.rows[static_cast<size_t>(box.rank)], words_of(box.kind), box.microbatch, box.stage,
                     box.start, box.length, box.end());
}

const char* words_of(schedule::ActionKind kind) {
  switch (kind) {
    case schedule::ActionKind::F:
      return "forward";
    case schedule::ActionKind::B:
      return "backward";
    case schedule::ActionKind::I:
      return "input gradient";
    case schedule::ActionKind::W:
      return "weight gradient";
    default:
      return "transfer";
  }
}

}  // namespace lockstep::gui
