#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace lockstep::contract {

/// A folder that is gone at the end of its scope.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  const std::filesystem::path& folder() const { return folder_; }

  void write(const std::string& file, const std::string& text) const {
    std::ofstream(folder_ / file, std::ios::binary) << text;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace lockstep::contract
