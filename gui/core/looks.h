#pragma once

#include <map>
#include <string>

#include "results/store/store.h"

namespace lockstep::gui {

/// How the cells of a store are drawn: what stands for one system with one strategy on one fabric has one number, and
/// so one colour, mark and dash (widgets/theme.h), on every page, on every workload, in every campaign, whatever a
/// filter hides. Numbers go by when cells were first launched, so that a new one changes no other's.
class Looks {
 public:
  explicit Looks(store::Store& store);
  /// Of the text of a cell; 0 for one that the store lacks.
  size_t of(const std::string& cell) const;

 private:
  std::map<std::string, size_t> by_cell_;
};

}  // namespace lockstep::gui
