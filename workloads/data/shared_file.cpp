#include "workloads/data/shared_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "adapters/contract/failure.h"
#include "workloads/data/safetensors.h"

namespace lockstep::workloads {

std::filesystem::path shared_path(const std::filesystem::path& folder, std::string_view kind,
                                  std::string_view description) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure("setup", fmt::format("{}: cannot be created: {}", folder.string(), error.message()));
  return folder / fmt::format("{}-{:016x}.safetensors", kind, XXH3_64bits(description.data(), description.size()));
}

bool is_written(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return false;
  try {
    SafetensorsFile(path).tensors();
    return true;
  } catch (const Failure&) {
    return false;
  }
}

}  // namespace lockstep::workloads
