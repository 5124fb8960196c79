#include "reference_trainer/graph/dim.h"

#include <array>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"

namespace lockstep::graph {
namespace {

constexpr std::array<std::string_view, 17> kNames = {"batch",    "seq",   "kv_seq", "hidden",   "ffn",      "heads",
                                                     "head_dim", "vocab", "expert", "chan_in",  "chan_out", "height",
                                                     "width",    "gate",  "class",  "capacity", "table"};

}  // namespace

std::string_view name(Dim dim) { return kNames[static_cast<size_t>(dim)]; }

Dim dim_named(std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Dim>(i);
  }
  throw Failure("usage", fmt::format("no dim is called \"{}\"; the nearest is \"{}\"", text, nearest(text, kNames)));
}

}  // namespace lockstep::graph
