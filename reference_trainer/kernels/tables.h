#pragma once

#include <vector>

#include "reference_trainer/kernels/operand.h"

namespace lockstep::kernels {

/// The embedding tables that are here, one after the other, and what the ids [batch, table, ids] of theirs mean.
struct Tables {
  std::vector<int64_t> begin;  ///< first row of each table here, and behind the last one the end
  int64_t tables = 0, ids = 0;

  Tables(const Operand& bags, const Operand& rows) : tables(bags.dims[1]), ids(bags.dims[2]) {
    const int64_t first = graph::whole_index(*bags.tensor, 1, 0);
    begin.push_back(0);
    for (int64_t t = 0; t < tables; ++t)
      begin.push_back(begin.back() + rows.tensor->blocks[static_cast<size_t>(first + t)]);
  }
};

inline int64_t batch_rows(const Operand& bags) { return bags.dims[0]; }

/// Calls visit(bag, row) for each id of samples [from, to): the bag is counted through all samples and tables.
template <class Visit>
void for_each_id(const Tables& z, const int32_t* ids, int64_t from, int64_t to, const Visit& visit) {
  for (int64_t bag = from * z.tables; bag < to * z.tables; ++bag) {
    const auto table = static_cast<size_t>(bag % z.tables);
    const int64_t rows = z.begin[table + 1] - z.begin[table];
    for (int64_t i = 0; i < z.ids; ++i) visit(bag, z.begin[table] + ids[bag * z.ids + i] % rows);
  }
}

}  // namespace lockstep::kernels
