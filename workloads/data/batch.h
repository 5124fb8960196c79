#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "workloads/data/input.h"
#include "workloads/data/safetensors.h"

namespace lockstep::workloads {

/// The array that `input` is cut from, of one part ("train" or "test") of a data file.
const TensorView& array_of(const SafetensorsFile& file, std::string_view part, const InputSpec& input);

/// Copies the samples `ids` into `out` [ids.size(), input dims...], contiguous. Real inputs become
/// (Real(stored) - Real(shift)) * Real(scale). Failure("setup") names a sample that the array does not have.
void gather(const InputSpec& input, const TensorView& array, std::span<const int64_t> ids, std::span<float> out);
void gather(const InputSpec& input, const TensorView& array, std::span<const int64_t> ids, std::span<double> out);
/// Index inputs: the stored integers.
void gather(const InputSpec& input, const TensorView& array, std::span<const int64_t> ids, std::span<int32_t> out);

}  // namespace lockstep::workloads
