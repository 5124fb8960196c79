#include "workloads/data/batch.h"

#include <fmt/format.h>

#include <string>
#include <type_traits>

#include "adapters/contract/failure.h"
#include "adapters/contract/invariant.h"

namespace lockstep::workloads {

namespace {

template <class Out, class Stored>
void copy_sample(const InputSpec& input, const Stored* from, Out* to, int64_t count) {
  if constexpr (std::is_floating_point_v<Out>) {
    const Out shift = static_cast<Out>(input.shift), scale = static_cast<Out>(input.scale);
    for (int64_t i = 0; i < count; ++i) to[i] = (static_cast<Out>(from[i]) - shift) * scale;
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Out>(from[i]);
  }
}

template <class Stored, class Out>
void gather_from(const InputSpec& input, const TensorView& array, std::span<const int64_t> ids, std::span<Out> out) {
  const Stored* const stored = array.values<Stored>().data();
  const int64_t records = array.shape.empty() ? 0 : array.shape[0];
  const int64_t samples = input.samples(records), count = input.elements();
  LOCKSTEP_INVARIANT(static_cast<int64_t>(out.size()) == static_cast<int64_t>(ids.size()) * count,
                     "{} elements for {} samples of {}", out.size(), ids.size(), count);
  if (samples > 0 && input.window == 0 && array.elements() / records != count) {
    throw Failure("setup", fmt::format("{}: a record has {} elements, input '{}' needs {}", array.name,
                                       array.elements() / records, input.name, count));
  }
  const int64_t stride = input.window == 0 ? count : input.stride;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= samples) {
      throw Failure("setup", fmt::format("{}: there is no sample {}; it has {}", array.name, ids[i], samples));
    }
    copy_sample(input, stored + ids[i] * stride + input.offset, out.data() + static_cast<int64_t>(i) * count, count);
  }
}

template <class Out>
void gather_any(const InputSpec& input, const TensorView& array, std::span<const int64_t> ids, std::span<Out> out) {
  switch (array.dtype) {
    case DType::U8:
      return gather_from<uint8_t>(input, array, ids, out);
    case DType::I32:
      return gather_from<int32_t>(input, array, ids, out);
    case DType::I64:
      return gather_from<int64_t>(input, array, ids, out);
    case DType::F32:
      return gather_from<float>(input, array, ids, out);
    case DType::F64:
      return gather_from<double>(input, array, ids, out);
  }
}

}  // namespace

const TensorView& array_of(const SafetensorsFile& file, std::string_view part, const InputSpec& input) {
  return file.at(fmt::format("{}.{}", part, input.array));
}

void gather(const InputSpec& input, const TensorView& array, std::span<const int64_t> ids, std::span<float> out) {
  gather_any(input, array, ids, out);
}
void gather(const InputSpec& input, const TensorView& array, std::span<const int64_t> ids, std::span<double> out) {
  gather_any(input, array, ids, out);
}
void gather(const InputSpec& input, const TensorView& array, std::span<const int64_t> ids, std::span<int32_t> out) {
  gather_any(input, array, ids, out);
}

}  // namespace lockstep::workloads
