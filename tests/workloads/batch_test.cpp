#include "workloads/data/batch.h"

#include "tests/workloads/scratch.h"

namespace lockstep::workloads {
namespace {

InputSpec image() {
  InputSpec input{"x", "image", {{"height", 1}, {"width", 2}}};
  input.shift = 0.1;
  input.scale = 1.0 / 3;
  return input;
}

InputSpec window(int64_t offset) {
  InputSpec input{"t", "bytes", {{"seq", 3}}, InputSpec::Type::index};
  input.window = 3, input.stride = 2, input.offset = offset;
  return input;
}

TEST(Batch, RealInputsAreComputedInTheRunsPrecision) {
  const std::vector<uint8_t> stored = {0, 1, 2, 3, 4, 255};
  const auto array = view<uint8_t>("train.image", {3, 1, 2}, stored);
  std::vector<float> single(4);
  std::vector<double> twice(4);
  const std::vector<int64_t> ids = {2, 0};
  gather(image(), array, ids, single);
  gather(image(), array, ids, twice);
  const std::vector<int> expected = {4, 255, 0, 1};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(single[i], (static_cast<float>(expected[i]) - 0.1F) * static_cast<float>(1.0 / 3)) << i;
    EXPECT_EQ(twice[i], (static_cast<double>(expected[i]) - 0.1) * (1.0 / 3)) << i;
  }
}

TEST(Batch, WindowsOverlapAsTheirStrideSays) {
  const std::vector<uint8_t> stored = {10, 11, 12, 13, 14, 15, 16, 17};
  const auto array = view<uint8_t>("train.bytes", {8}, stored);
  EXPECT_EQ(window(1).samples(8), 3);
  EXPECT_EQ(window(1).records(3), 8);
  EXPECT_EQ(window(0).samples(2), 0);
  std::vector<int32_t> out(6);
  const std::vector<int64_t> ids = {0, 2};
  gather(window(1), array, ids, out);
  EXPECT_THAT(out, testing::ElementsAre(11, 12, 13, 15, 16, 17));
}

TEST(Batch, LabelsHaveNoDims) {
  const std::vector<int64_t> stored = {7, 8, 9};
  std::vector<int32_t> out(2);
  const std::vector<int64_t> ids = {1, 2};
  gather(InputSpec{"y", "label", {}, InputSpec::Type::index}, view<int64_t>("l", {3}, stored), ids, out);
  EXPECT_THAT(out, testing::ElementsAre(8, 9));
}

TEST(Batch, RefusesSamplesAndShapesThatAreNot) {
  const std::vector<uint8_t> stored(6);
  std::vector<float> out(2);
  for (const int64_t bad : {int64_t{-1}, int64_t{3}}) {
    const std::vector<int64_t> ids = {bad};
    expect_failure("setup", {"train.image", "no sample", "3"}, [&] {
      gather(image(), view<uint8_t>("train.image", {3, 1, 2}, stored), ids, out);
    });
  }
  const std::vector<int64_t> ids = {0};
  expect_failure("setup", {"a record has 3 elements", "needs 2"}, [&] {
    gather(image(), view<uint8_t>("train.image", {2, 3}, stored), ids, out);
  });
}

}  // namespace
}  // namespace lockstep::workloads
