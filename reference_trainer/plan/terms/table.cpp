#include "reference_trainer/plan/terms/table.h"

#include <algorithm>
#include <initializer_list>

#include "reference_trainer/plan/terms/rows.h"

namespace lockstep::terms {
namespace {

constexpr std::array<std::string_view, 8> kKinds = {"axis",   "layout",  "schedule", "pass",
                                                    "policy", "wrapper", "codec",    "collective"};
constexpr std::array<std::string_view, 8> kMarks = {"", "/", "/", "/", "+", "+", "+", "@"};

}  // namespace

std::string_view name(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }
std::string_view mark(Kind kind) { return kMarks[static_cast<size_t>(kind)]; }

std::span<const Row> table() { return kRows; }

const Row* find(std::string_view mark_before, std::string_view wanted) {
  const auto rows = table();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Row& row) { return row.name == wanted && mark(row.kind) == mark_before; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string_view> names(std::string_view mark_before) {
  std::vector<std::string_view> out;
  for (const Row& row : table()) {
    if (mark(row.kind) == mark_before) out.push_back(row.name);
  }
  return out;
}

}  // namespace lockstep::terms
