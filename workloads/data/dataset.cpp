#include "workloads/data/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "adapters/contract/failure.h"
#include "adapters/contract/invariant.h"
#include "workloads/data/mask.h"
#include "workloads/data/readers.h"
#include "workloads/data/resize.h"
#include "workloads/data/safetensors.h"
#include "workloads/data/shared_file.h"

namespace lockstep::workloads {

namespace {

constexpr int kFormat = 1;  // counts up when the same description comes to mean other bytes

/// Records of `array` that `samples` samples need.
int64_t records_of(const Workload& workload, const std::string& array, int64_t samples) {
  int64_t records = 0;
  for (const InputSpec& input : workload.inputs) {
    if (input.array == array) records = std::max(records, input.records(samples));
  }
  return records;
}

int64_t most_records(const Workload& workload, int64_t samples) {
  int64_t records = 0;
  for (const InputSpec& input : workload.inputs) records = std::max(records, input.records(samples));
  return records;
}

/// The shape in which the workload wants the records of its images.
std::vector<int64_t> image_shape(const Workload& workload) {
  std::vector<int64_t> shape;
  for (const InputSpec& input : workload.inputs) {
    if (input.array != "image") continue;
    for (const auto& [dim, size] : input.dims) shape.push_back(size);
    break;
  }
  return shape;
}

void resize(const Workload& workload, RawData& data) {
  const std::pair<std::vector<RawArray>*, int64_t> parts[] = {{&data.train, workload.train_samples},
                                                              {&data.test, workload.test_samples}};
  for (const auto& [part, samples] : parts) {
    for (RawArray& array : *part) {
      if (array.name == "image") array = resized(array, image_shape(workload), samples);
    }
  }
}

int64_t window_of(const Workload& workload, const std::string& array) {
  for (const InputSpec& input : workload.inputs) {
    if (input.array == array) return input.window;
  }
  refuse({workload.id, "$.inputs", array,
          fmt::format("the reader '{}' makes this array, windowed", workload.data.reader), "name it in an input"});
}

void mask(const Workload& workload, RawData& data) {
  const int64_t window = window_of(workload, "masked"), places = window_of(workload, "places");
  data.train = masked(data.train.at(0), window, places, "train");
  data.test = masked(data.test.at(0), window, places, "test");
}

std::filesystem::path root() {
  const char* set = std::getenv("LOCKSTEP_DATA");
  return set != nullptr && *set != '\0' ? set : "/";
}

RawData read(const ReadRequest& request) {
  RawData data = request.reader.read(request);
  const uint64_t known = request.reader.checksum;
  if (known == 0) return data;
  const uint64_t sum = checksum_of(data);
  if (sum != known) {
    data_missing(request.reader, fmt::format("{}: the content has checksum {:016x}, the known data set has {:016x}",
                                             request.path(0).parent_path().string(), sum, known));
  }
  return data;
}

void add_part(const Workload& workload, const std::string& part, int64_t samples, const std::vector<RawArray>& arrays,
              std::vector<TensorView>& out) {
  for (const RawArray& array : arrays) {
    const int64_t records = records_of(workload, array.name, samples);
    if (records == 0) continue;
    const auto have = static_cast<int64_t>(array.values.size() / array.record_bytes());
    if (have < records) {
      throw Failure("usage", fmt::format("{}: {}.{} has {} records, {} samples need {}; correct \"data\" in the "
                                         "workload's file",
                                         workload.text, part, array.name, have, samples, records));
    }
    std::vector<int64_t> shape = {records};
    shape.insert(shape.end(), array.shape.begin(), array.shape.end());
    out.push_back(view<uint8_t>(part + "." + array.name, std::move(shape), array.values));
  }
}

void require_inputs(const Workload& workload, const std::vector<TensorView>& tensors) {
  for (const InputSpec& input : workload.inputs) {
    const bool found = std::any_of(tensors.begin(), tensors.end(),
                                   [&](const TensorView& tensor) { return tensor.name == "train." + input.array; });
    if (!found) {
      refuse({workload.id, "$.inputs." + input.name + ".array", input.array,
              fmt::format("the reader '{}' gives no such array", workload.data.reader), "name an array of the reader"});
    }
  }
}

}  // namespace

std::filesystem::path write_dataset(const Workload& workload, const std::filesystem::path& shared) {
  const DataSpec& data = workload.data;
  const Reader* reader = find_reader(data.reader);
  const Reader* like = data.like.empty() ? reader : find_reader(data.like);
  LOCKSTEP_INVARIANT(reader != nullptr && like != nullptr, "no reader {} or {}", data.reader, data.like);

  std::string description = fmt::format("data {} {} {} {:x}", kFormat, data.reader, data.like, reader->checksum);
  for (const InputSpec& input : workload.inputs) {
    description += fmt::format(" {}:{}:{}", input.array, input.records(workload.train_samples),
                               input.records(workload.test_samples));
  }
  if (like->made) {
    for (const InputSpec& input : workload.inputs)
      description += fmt::format(" {} of {}", input.array, input.elements());
  }
  if (like->resized) description += fmt::format(" resized to {}", fmt::join(image_shape(workload), "x"));
  if (like->masked) {
    description += fmt::format(" {} of {}", window_of(workload, "places"), window_of(workload, "masked"));
  }
  const auto path = shared_path(shared, "data", description);
  if (is_written(path)) return path;

  RawData raw = read({*reader, *like, root(), most_records(workload, workload.train_samples),
                      most_records(workload, workload.test_samples), workload.inputs});
  if (like->resized) resize(workload, raw);
  if (like->masked) mask(workload, raw);
  std::vector<TensorView> tensors;
  add_part(workload, "train", workload.train_samples, raw.train, tensors);
  add_part(workload, "test", workload.test_samples, raw.test, tensors);
  require_inputs(workload, tensors);
  write_safetensors(path, tensors, {{"data", data.reader}, {"like", data.like}});
  return path;
}

}  // namespace lockstep::workloads
