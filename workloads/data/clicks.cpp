// Clicks on advertisements, made up: some numbers and ids of many kinds say how likely one is, by weights that a model
// can find.
#include <algorithm>
#include <cmath>

#include "adapters/contract/failure.h"
#include "workloads/data/nearest_remedy.h"
#include "workloads/data/philox.h"
#include "workloads/data/readers.h"

namespace lockstep::workloads {

namespace {

constexpr uint64_t kClickSeed = 1;  // data is data: it does not change with the recipe's seed
constexpr double kLogitScale = 5;  // of the hidden model: its labels can be told from the features, but not all of them

/// The sizes of a record of the array, as the workload's input wants them.
std::vector<int64_t> shape_of_input(const ReadRequest& request, const std::string& array) {
  std::vector<int64_t> shape;
  for (const InputSpec& input : request.inputs) {
    if (input.array != array) continue;
    for (const auto& [dim, size] : input.dims) shape.push_back(size);
    return shape;
  }
  refuse({"", "$.inputs", array, "the reader 'clicks' makes this array", "name it in an input"});
}

/// Ids are bytes, small ones likelier than large ones, as users and items are: the product of two uniform ones.
RawArray ids(const std::vector<int64_t>& shape, const std::string& part, int64_t count) {
  RawArray out{"categories", shape, {}};
  out.values.resize(out.record_bytes() * static_cast<size_t>(count));
  const Draws draws(kClickSeed, part + ".categories");
  for (size_t i = 0; i < out.values.size(); ++i) {
    const uint64_t bits = draws.bits(i);
    out.values[i] = static_cast<uint8_t>((bits & 0xff) * (bits >> 8 & 0xff) >> 8);
  }
  return out;
}

RawArray numbers(const std::vector<int64_t>& shape, const std::string& part, int64_t count) {
  RawArray out{"dense", shape, {}};
  out.values.resize(out.record_bytes() * static_cast<size_t>(count));
  const Draws draws(kClickSeed, part + ".dense");
  for (size_t i = 0; i < out.values.size(); ++i) out.values[i] = static_cast<uint8_t>(draws.bounded(i, 256));
  return out;
}

/// The hidden model: a weight a number, and one for each id of each kind; the label is drawn by the logistic function.
RawArray labels(const RawArray& dense, const RawArray& categories, const std::string& part, int64_t count) {
  const Draws of_numbers(kClickSeed, "clicks.dense"), of_ids(kClickSeed, "clicks.categories"),
      chance(kClickSeed, part + ".label");
  const size_t width = dense.record_bytes(), kinds = categories.record_bytes();
  const double scale = kLogitScale / std::sqrt(static_cast<double>(width + kinds));
  RawArray out{"label", {}, {}};
  for (size_t n = 0; n < static_cast<size_t>(count); ++n) {
    double logit = 0;
    for (size_t i = 0; i < width; ++i)
      logit += of_numbers.normal(i) * (static_cast<double>(dense.values[n * width + i]) - 127.5) / 73.9;
    for (size_t i = 0; i < kinds; ++i) logit += of_ids.normal(i * 256 + categories.values[n * kinds + i]);
    out.values.push_back(chance.uniform01(n) < 1 / (1 + std::exp(-scale * logit)) ? 1 : 0);
  }
  return out;
}

std::vector<RawArray> part_of_clicks(const ReadRequest& request, const std::string& part, int64_t count) {
  RawArray dense = numbers(shape_of_input(request, "dense"), part, count),
           categories = ids(shape_of_input(request, "categories"), part, count),
           label = labels(dense, categories, part, count);
  return {std::move(dense), std::move(categories), std::move(label)};
}

}  // namespace

RawData make_clicks(const ReadRequest& request) {
  return {part_of_clicks(request, "train", request.train), part_of_clicks(request, "test", request.test)};
}

}  // namespace lockstep::workloads
