#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "results/store/rows.h"

namespace lockstep::snapshot {

/// The series of a launch by rank and name; looks into the rows it was made from, which have to outlive it.
class SeriesColumns {
 public:
  explicit SeriesColumns(const std::vector<store::SeriesRow>& series) {
    for (const store::SeriesRow& row : series) by_rank_[row.rank][row.name] = &row;
  }

  /// Null where the series is missing or of the other type.
  template <class T>
  const std::vector<T>* find(int64_t rank, std::string_view name) const {
    const auto& names = by_rank_.at(rank);
    const auto found = names.find(name);
    return found == names.end() ? nullptr : std::get_if<std::vector<T>>(&found->second->values);
  }

  std::vector<int64_t> ranks() const {
    std::vector<int64_t> out;
    for (const auto& [rank, names] : by_rank_) out.push_back(rank);
    return out;
  }

 private:
  std::map<int64_t, std::map<std::string_view, const store::SeriesRow*>> by_rank_;
};

/// The loss of all ranks at a step (-1: at each rank's last), weighted by loss_weight; a rank without a sample there
/// takes no part. Nothing where a rank lacks a series or the step.
std::optional<double> mean_loss(const SeriesColumns& columns, int64_t step);

}  // namespace lockstep::snapshot
