#pragma once

#include <filesystem>
#include <string_view>

namespace lockstep::workloads {

/// The place of a generated file in `folder`: "KIND-HASH.safetensors", where HASH is XXH3 (64 bits) of the text that
/// says everything its content depends on. Creates the folder.
std::filesystem::path shared_path(const std::filesystem::path& folder, std::string_view kind,
                                  std::string_view description);

/// Whether a whole safetensors file is there; a damaged one is to be written again.
bool is_written(const std::filesystem::path& path);

}  // namespace lockstep::workloads
