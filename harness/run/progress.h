#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "harness/run/plan.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::run {

/// Tells a person how far a campaign is: one line a launch, with what is left in time; on a terminal a bar besides.
class Progress {
 public:
  using Print = std::function<void(const std::string&)>;

  /// `print` writes to stderr without adding a newline; `terminal`: lines may be overwritten, at most `width` wide.
  Progress(std::vector<PlannedLaunch> todo, Print print, bool terminal, int width);

  void begin(const PlannedLaunch& launch);
  /// It still runs, after `seconds`: in the bar, or a line a minute where there is none.
  void still(const PlannedLaunch& launch, double seconds);
  /// `unequal`: the cell's proof of equal work failed; `seconds` in all, preparation included.
  void end(const PlannedLaunch& launch, const store::LaunchRecord& record, bool unequal,
           const snapshot::LaunchFigures& figures, double seconds);
  /// Any other line, above the bar.
  void say(const std::string& line);
  /// Takes the bar away.
  void clear();

 private:
  double left() const;
  void bar(const std::string& what);

  std::vector<PlannedLaunch> todo_;
  Print print_;
  bool terminal_ = false;
  int width_ = 100;
  size_t done_ = 0;
  bool bar_shown_ = false;
  double told_s_ = 0;  ///< of the running launch, when it was last told that it runs
  double spent_ = 0;
  std::map<std::string, std::pair<double, int64_t>> cells_;  ///< seconds and launches by cell
};

}  // namespace lockstep::run
