#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "adapters/contract/failure.h"

namespace lockstep::workloads {

inline const std::filesystem::path kWorkloads = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "workloads";

/// A folder of its own, gone with the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lockstep-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// Runs `action`, which must fail with `kind` and a message that has all of `parts`.
template <class Action>
void expect_failure(const std::string& kind, const std::vector<std::string>& parts, Action action) {
  try {
    action();
    ADD_FAILURE() << "nothing failed, expected " << kind;
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), kind);
    for (const std::string& part : parts) EXPECT_THAT(std::string(failure.what()), testing::HasSubstr(part));
  }
}

}  // namespace lockstep::workloads
