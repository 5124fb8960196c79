#include "gui/core/looks.h"

#include "results/report/cell_words.h"

namespace lockstep::gui {

Looks::Looks(store::Store& store) {
  std::map<std::string, size_t> by_name;
  for (const store::CellRow& cell : store.cells()) {
    const std::string name = cell.system + " " + report::strategy_of(cell);
    by_cell_[cell.text] = by_name.try_emplace(name, by_name.size()).first->second;
  }
}

size_t Looks::of(const std::string& cell) const {
  const auto found = by_cell_.find(cell);
  return found == by_cell_.end() ? 0 : found->second;
}

}  // namespace lockstep::gui
