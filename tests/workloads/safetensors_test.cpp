#include "workloads/data/safetensors.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

#include "tests/workloads/scratch.h"

namespace lockstep::workloads {
namespace {

TEST(Safetensors, RoundTripOfEveryType) {
  const Scratch scratch;
  const std::vector<uint8_t> bytes = {1, 2, 3};
  const std::vector<float> floats = {1.5F, -2};
  const std::vector<double> doubles = {0.1, 1e300};
  const std::vector<int32_t> ints = {-7};
  const std::vector<int64_t> longs = {1, -2, 3, int64_t{1} << 60};
  const auto path = scratch.path() / "a.safetensors";
  write_safetensors(path,
                    std::vector{view<uint8_t>("u8", {3}, bytes), view<float>("f32", {2, 1}, floats),
                                view<double>("f64", {2}, doubles), view<int32_t>("scalar", {}, ints),
                                view<int64_t>("i64", {2, 2}, longs), view<float>("empty", {0, 5}, {})},
                    {{"by", "a test"}});
  const SafetensorsFile file(path);
  EXPECT_THAT(file.at("u8").values<uint8_t>(), testing::ElementsAreArray(bytes));
  EXPECT_THAT(file.at("f32").values<float>(), testing::ElementsAreArray(floats));
  EXPECT_THAT(file.at("f64").values<double>(), testing::ElementsAreArray(doubles));
  EXPECT_THAT(file.at("scalar").values<int32_t>(), testing::ElementsAreArray(ints));
  EXPECT_THAT(file.at("i64").values<int64_t>(), testing::ElementsAreArray(longs));
  EXPECT_EQ(file.at("empty").elements(), 0);
  EXPECT_EQ(file.at("i64").shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(file.metadata().at("by"), "a test");
  EXPECT_EQ(file.tensors().size(), 6U);
  EXPECT_EQ(file.find("none"), nullptr);
  expect_failure("setup", {path.string(), "none"}, [&] { file.at("none"); });
  expect_failure("setup", {"u8", "F32"}, [&] { file.at("u8").values<float>(); });
}

TEST(Safetensors, LeavesNoTemporaryFile) {
  const Scratch scratch;
  write_safetensors(scratch.path() / "a", {});
  write_safetensors(scratch.path() / "a", {});
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
  expect_failure("setup", {"cannot be written"}, [&] { write_safetensors(scratch.path() / "no" / "a", {}); });
}

std::string file_text(const std::string& header, size_t data, uint64_t length) {
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return out + header + std::string(data, 'x');
}

std::string file_text(const std::string& header, size_t data) { return file_text(header, data, header.size()); }

TEST(Safetensors, EveryCorruptFileIsRefused) {
  const Scratch scratch;
  const auto tensor = [](const char* name, const char* dtype, const char* shape, const char* offsets) {
    return fmt::format("\"{}\":{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":{}}}", name, dtype, shape, offsets);
  };
  const std::string good = tensor("a", "U8", "[4]", "[0,4]");
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "only 0 bytes"},
      {"1234567", "only 7 bytes"},
      {file_text("{" + good + "}", 4, 1000), "header says"},
      {file_text("{" + good + "}", 4, ~uint64_t{0}), "header says"},
      {file_text("{" + good, 4), "its header"},
      {file_text("[]" + std::string(6, ' '), 4), "tensors end at 0"},
      {file_text("{" + tensor("a", "BF16", "[2]", "[0,4]") + "}", 4), "BF16"},
      {file_text("{" + tensor("a", "U8", "[-4]", "[0,4]") + "}", 4), "the size -4"},
      {file_text("{" + tensor("a", "F64", "[4611686018427387904,4]", "[0,4]") + "}", 4), "larger than the file"},
      {file_text("{" + tensor("a", "U8", "[3]", "[0,4]") + "}", 4), "needs 3 bytes"},
      {file_text("{" + tensor("a", "U8", "[5]", "[0,5]") + "}", 4), "larger than the file"},
      {file_text("{" + tensor("a", "U8", "[4]", "[4,0]") + "}", 4), "lies at 4 to 0"},
      {file_text("{" + tensor("a", "U8", "[4]", "[-4,0]") + "}", 4), "lies at"},
      {file_text("{" + good + "}", 5), "tensors end at 4"},
      {file_text("{" + tensor("a", "U8", "[3]", "[1,4]") + "}", 4), "begins at 1"},
      {file_text("{" + good + "," + tensor("b", "U8", "[2]", "[3,5]") + "}", 5), "begins at 3"},
      {file_text("{\"a\":{\"dtype\":\"U8\"}}", 0), "shape"},
  };
  for (const auto& [text, what] : bad) {
    const auto path = scratch.write("bad.safetensors", text);
    expect_failure("setup", {path.string(), what}, [&] { SafetensorsFile file(path); });
  }
  EXPECT_EQ(SafetensorsFile(scratch.write("good", file_text("{" + good + "}", 4))).at("a").elements(), 4);
  expect_failure("setup", {"cannot be opened"}, [&] { SafetensorsFile file(scratch.path() / "none"); });
}

}  // namespace
}  // namespace lockstep::workloads
