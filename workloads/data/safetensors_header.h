#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "workloads/data/safetensors.h"

namespace lockstep::workloads {

struct SafetensorsHeader {
  std::vector<TensorView> tensors;  // sorted by name
  Metadata metadata;
};

/// The checked header of a mapped file; the views point into `file`. Failure("setup") names `path` and what is wrong.
SafetensorsHeader read_header(const std::string& path, std::span<const std::byte> file);

/// The JSON header of tensors that lie one behind the other, padded with spaces so that the data starts at a multiple
/// of 8 bytes.
std::string header_text(std::span<const TensorView> tensors, const Metadata& metadata);

}  // namespace lockstep::workloads
