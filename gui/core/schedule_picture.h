#pragma once

#include <string>
#include <vector>

#include "reference_trainer/plan/schedule/schedule.h"
#include "results/report/model.h"

namespace lockstep::gui {

/// What one rank of a pipeline does for some time. Times are in units of a stage's forward pass.
struct ScheduleBox {
  int rank = 0;  ///< coordinate on the pipeline axis
  double start = 0, length = 0;
  schedule::ActionKind kind = schedule::ActionKind::F;
  int stage = 0;
  int64_t microbatch = 0;
  std::string label;  ///< "F3": kind and microbatch, and a letter for the stage where a rank has several

  double end() const { return start + length; }
  bool operator==(const ScheduleBox&) const = default;
};

/// Time in which a rank has nothing to do.
struct ScheduleBubble {
  int rank = 0;
  double start = 0, length = 0;
  bool operator==(const ScheduleBubble&) const = default;
};

/// A pipeline's schedule in one step with equal stages: F, I and W take a unit each, B two, and transfers no time.
struct SchedulePicture {
  std::string title;                    ///< "1f1b: pipeline of 4 ranks, 8 microbatches"
  std::vector<std::string> rows;        ///< "stage 0"
  std::vector<ScheduleBox> boxes;       ///< by rank, then start
  std::vector<ScheduleBubble> bubbles;  ///< the same
  std::vector<int> in_flight;           ///< by rank: activations of microbatches held at once, at most
  double makespan = 0;                  ///< of the step
  std::vector<std::string> words;       ///< idle share and activations in flight, a sentence each
  report::Table table;                  ///< the boxes: what is exported
};

/// Takes a schedule that has been made for its numbers (plan::schedule_of).
SchedulePicture picture_of(const schedule::Schedule& schedule);

/// What a box is, in words: "stage 2: forward of microbatch 3, from 5 to 6".
std::string tip_of(const SchedulePicture& picture, const ScheduleBox& box);

/// "forward", "backward", "input gradient", "weight gradient".
const char* words_of(schedule::ActionKind kind);

}  // namespace lockstep::gui
