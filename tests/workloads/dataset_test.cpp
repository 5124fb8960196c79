#include "workloads/data/dataset.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "tests/workloads/scratch.h"
#include "workloads/data/readers.h"
#include "workloads/data/safetensors.h"

namespace lockstep::workloads {
namespace {

/// Sets LOCKSTEP_DATA while it lives.
class DataRoot {
 public:
  explicit DataRoot(const std::filesystem::path& root) { ::setenv("LOCKSTEP_DATA", root.c_str(), 1); }
  ~DataRoot() { ::unsetenv("LOCKSTEP_DATA"); }
};

bool installed(const std::string& reader) {
  for (const std::string& file : find_reader(reader)->files) {
    if (!std::filesystem::exists(file)) return false;
  }
  return true;
}

#define NEEDS_DATA(reader) \
  if (!installed(reader)) GTEST_SKIP() << "the package " << find_reader(reader)->package << " is not installed"

SafetensorsFile dataset(const Scratch& scratch, const char* id, const char* preset,
                        std::vector<std::string> args = {}) {
  return SafetensorsFile(write_dataset(resolve(kWorkloads, id, preset, args), scratch.path()));
}

std::string_view text(const SafetensorsFile& file, const char* name) {
  const auto bytes = file.at(name).values<uint8_t>();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Dataset, FashionMnist) {
  NEEDS_DATA("fashion-mnist");
  const Scratch scratch;
  const auto file = dataset(scratch, "mlp-fashion", "desk");
  EXPECT_EQ(file.at("train.image").shape, (std::vector<int64_t>{60000, 1, 28, 28}));
  EXPECT_EQ(file.at("test.image").shape, (std::vector<int64_t>{10000, 1, 28, 28}));
  EXPECT_EQ(file.at("train.label").shape, (std::vector<int64_t>{60000}));
  std::array<int, 10> counts{};
  for (const uint8_t label : file.at("test.label").values<uint8_t>()) ++counts.at(label);
  EXPECT_THAT(counts, testing::Each(1000));
  EXPECT_EQ(file.at("train.label").values<uint8_t>()[0], 9);
}

TEST(Dataset, DigitsHoldOutEveryThird) {
  NEEDS_DATA("digits");
  const Scratch scratch;
  const auto file = dataset(scratch, "mlp-digits", "desk");
  EXPECT_EQ(file.at("train.image").shape, (std::vector<int64_t>{1198, 1, 8, 8}));
  EXPECT_EQ(file.at("test.image").shape, (std::vector<int64_t>{599, 1, 8, 8}));
  EXPECT_THAT(file.at("train.image").values<uint8_t>().subspan(0, 8), testing::ElementsAre(0, 0, 5, 13, 9, 1, 0, 0));
  EXPECT_THAT(file.at("train.label").values<uint8_t>().subspan(0, 6), testing::ElementsAre(0, 1, 3, 4, 6, 7));
  EXPECT_EQ(file.at("test.label").values<uint8_t>()[0], 2);
}

TEST(Dataset, PersuasionIsHeldOut) {
  NEEDS_DATA("austen");
  const Scratch scratch;
  const auto file = dataset(scratch, "gpt-austen", "desk");
  const auto train = text(file, "train.bytes"), test = text(file, "test.bytes");
  EXPECT_EQ(train.substr(0, 21), "EMMA\n\nBy Jane Austen\n");
  EXPECT_EQ(test.substr(0, 11), "Persuasion\n");
  constexpr std::string_view kOpening = "Sir Walter Elliot, of Kellynch Hall, in Somersetshire, was a man who,";
  EXPECT_NE(test.find(kOpening), std::string_view::npos);
  EXPECT_EQ(train.find(kOpening), std::string_view::npos);
  for (const char* line :
       {"EMMA\n", "MANSFIELD PARK\n", "NORTHANGER ABBEY\n", "PRIDE AND PREJUDICE\n", "SENSE AND SENSIBILITY\n"}) {
    EXPECT_NE(train.find(line), std::string_view::npos) << line;
  }
  EXPECT_NE(train.find("her \xc2\xa3"
                       "20,000"),
            std::string_view::npos)
      << "the text is UTF-8";
}

TEST(Dataset, TablesOfCountsAgreeWithTheData) {
  for (const auto& [id, title, presets] : list(kWorkloads)) {
    const Workload workload = resolve(kWorkloads, id, "micro", {});
    const Reader& reader = *find_reader(workload.data.reader);
    if (reader.made || !installed(reader.name)) continue;
    const RawData data = reader.read({reader, reader, "/", 0, 0});
    EXPECT_EQ(data.train.back().values.size(), workload.data.train) << id;
    EXPECT_EQ(data.test.back().values.size(), workload.data.test) << id;
    EXPECT_EQ(checksum_of(data), reader.checksum) << id;
  }
}

TEST(Dataset, ImagesAreResizedToTheInput) {
  NEEDS_DATA("fashion-mnist");
  const Scratch scratch;
  const auto plain = dataset(scratch, "mlp-fashion", "micro");
  const auto file = dataset(scratch, "vgg16", "micro", {"channels=2", "side=56"});
  ASSERT_EQ(file.at("train.image").shape, (std::vector<int64_t>{500, 2, 56, 56}));
  const auto from = plain.at("train.image").values<uint8_t>(), to = file.at("train.image").values<uint8_t>();
  for (size_t y = 0; y < 56; ++y) {
    for (size_t x = 0; x < 56; ++x) EXPECT_EQ(to[y * 56 + x], to[56 * 56 + y * 56 + x]) << "channels are alike";
  }
  // Of twice the size: each pixel lies a quarter of the way from one pixel to the next.
  const auto old = [&](size_t y, size_t x) { return int{from[y * 28 + x]}; };
  EXPECT_EQ(to[0], old(0, 0));
  EXPECT_EQ(to[21 * 56 + 22], (9 * old(10, 11) + 3 * old(11, 11) + 3 * old(10, 10) + old(11, 10) + 8) / 16);
}

/// Ids of all tables, small ones likelier; labels of both kinds; and more samples begin with the same ones.
TEST(Dataset, ClicksHaveTheSizesOfTheInputs) {
  const Scratch scratch;
  const auto file = dataset(scratch, "dlrm", "micro"), longer = dataset(scratch, "dlrm", "micro", {"samples=500"});
  EXPECT_EQ(file.at("train.dense").shape, (std::vector<int64_t>{305, 5}));
  EXPECT_EQ(file.at("train.categories").shape, (std::vector<int64_t>{305, 6, 2}));
  const auto ids = file.at("train.categories").values<uint8_t>(),
             more = longer.at("train.categories").values<uint8_t>(), labels = file.at("train.label").values<uint8_t>();
  EXPECT_TRUE(std::equal(ids.begin(), ids.end(), more.begin()));
  EXPECT_GT(std::count_if(ids.begin(), ids.end(), [](uint8_t id) { return id < 64; }), 305 * 12 / 2);
  const auto clicks = std::count(labels.begin(), labels.end(), 1);
  EXPECT_GT(clicks, 60);
  EXPECT_LT(clicks, 240);
}

TEST(Dataset, MaskedTextCanBeGuessedBack) {
  NEEDS_DATA("austen");
  const Scratch scratch;
  const auto plain = dataset(scratch, "gpt-austen", "micro", {"samples=1000"}),
             file = dataset(scratch, "bert", "micro");
  const auto from = plain.at("train.bytes").values<uint8_t>(), text = file.at("train.masked").values<uint8_t>();
  const auto places = file.at("train.places").values<uint8_t>(),
             originals = file.at("train.originals").values<uint8_t>();
  ASSERT_EQ(text.size(), 500u * 24);
  ASSERT_EQ(places.size(), 500u * 4);
  std::vector<uint8_t> restored(text.begin(), text.end());
  int hidden = 0, changed = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    uint8_t& byte = restored.at(i / 4 * 24 + places[i]);
    hidden += byte == 0 ? 1 : 0;
    changed += byte != 0 && byte != originals[i] ? 1 : 0;
    byte = originals[i];
    EXPECT_TRUE(i % 4 == 0 || places[i - 1] < places[i]);
  }
  EXPECT_TRUE(std::equal(restored.begin(), restored.end(), from.begin()));
  EXPECT_NEAR(hidden, 1600, 80);
  EXPECT_NEAR(changed, 200, 60);
}

TEST(Dataset, WhatNoPackageHasIsUnsupported) {
  const Scratch scratch;
  expect_failure("unsupported", {"imagenet", "data=synthetic"},
                 [&] { write_dataset(resolve(kWorkloads, "vgg16", "paper", {}), scratch.path()); });
}

TEST(Dataset, SamplesLimitIt) {
  NEEDS_DATA("austen");
  const Scratch scratch;
  const auto file = dataset(scratch, "gpt-austen", "micro", {"samples=20", "test_samples=3", "seq=16"});
  EXPECT_EQ(file.at("train.bytes").elements(), 20 * 16 + 1);
  EXPECT_EQ(file.at("test.bytes").elements(), 3 * 16 + 1);
}

TEST(Dataset, IsWrittenOnceAndAgainWhenDamaged) {
  const Scratch scratch;
  const Workload workload = resolve(kWorkloads, "mlp-digits", "micro", {"data=synthetic"});
  const auto path = write_dataset(workload, scratch.path());
  const auto written = std::filesystem::last_write_time(path);
  EXPECT_EQ(write_dataset(workload, scratch.path()), path);
  EXPECT_EQ(std::filesystem::last_write_time(path), written);
  std::filesystem::resize_file(path, 100);
  EXPECT_EQ(write_dataset(workload, scratch.path()), path);
  EXPECT_EQ(SafetensorsFile(path).at("train.image").shape, (std::vector<int64_t>{500, 1, 8, 8}));
  const Workload lr = resolve(kWorkloads, "mlp-digits", "micro", {"data=synthetic", "lr=0.01"});
  EXPECT_EQ(write_dataset(lr, scratch.path()), path) << "the recipe does not change the data";
}

TEST(Dataset, EveryWorkloadHasASyntheticVariant) {
  const Scratch scratch;
  const DataRoot nothing(scratch.path());
  for (const Listed& listed : list(kWorkloads)) {
    const Workload workload = resolve(kWorkloads, listed.id, "micro", {"data=synthetic"});
    const SafetensorsFile file(write_dataset(workload, scratch.path()));
    for (const InputSpec& input : workload.inputs) {
      EXPECT_EQ(input.samples(file.at("train." + input.array).shape[0]), workload.train_samples) << listed.id;
      EXPECT_EQ(input.samples(file.at("test." + input.array).shape[0]), workload.test_samples) << listed.id;
    }
  }
}

TEST(Dataset, SyntheticImagesCanBeToldApart) {
  const Reader& digits = *find_reader("digits");
  const RawData data = make_synthetic_images({*find_reader("synthetic-images"), digits, "/", 200, 50});
  // Nearest mean of the training images; chance would be one in ten.
  std::array<std::array<double, 64>, 10> sums{};
  std::array<double, 10> counts{};
  for (size_t i = 0; i < 200; ++i) {
    const uint8_t label = data.train[1].values[i];
    ++counts[label];
    for (size_t p = 0; p < 64; ++p) {
      ASSERT_LE(data.train[0].values[i * 64 + p], 16);
      sums[label][p] += data.train[0].values[i * 64 + p];
    }
  }
  int right = 0;
  for (size_t i = 0; i < 50; ++i) {
    std::array<double, 10> distance{};
    for (size_t c = 0; c < 10; ++c) {
      for (size_t p = 0; p < 64; ++p) {
        const double d = data.test[0].values[i * 64 + p] - sums[c][p] / std::max(counts[c], 1.0);
        distance[c] += d * d;
      }
    }
    right += std::min_element(distance.begin(), distance.end()) - distance.begin() == data.test[1].values[i];
  }
  EXPECT_GE(right, 45);
}

TEST(Dataset, MissingDataNamesThePackage) {
  const Scratch scratch;
  const DataRoot nothing(scratch.path() / "root");
  for (const auto& [id, package] :
       std::vector<std::pair<std::string, std::string>>{{"mlp-fashion", "dataset-fashion-mnist"},
                                                        {"mlp-digits", "python3-sklearn"},
                                                        {"lstm-austen", "r-cran-janeaustenr"}}) {
    expect_failure(
        "data_missing", {scratch.path() / "root", "apt-get install --no-install-recommends " + package},
        [&, name = id] { write_dataset(resolve(kWorkloads, name, "micro", {}), scratch.path() / "shared"); });
  }
}

TEST(Dataset, DamagedDataIsRefused) {
  const Scratch scratch;
  const DataRoot root(scratch.path());
  const auto refused = [&](const std::string& id, const std::string& what) {
    expect_failure("data_missing", {what, "apt-get install"},
                   [&] { write_dataset(resolve(kWorkloads, id, "micro", {}), scratch.path() / "shared"); });
  };
  const std::string csv = find_reader("digits")->files[0].substr(1);
  scratch.write(csv, "1,2,3\n");  // zlib reads plain files too
  refused("mlp-digits", "row 1 is not 64 pixels and a label");
  std::string row;
  for (int i = 0; i < 64; ++i) row += "1,";
  scratch.write(csv, row + "1\n");
  refused("mlp-digits", "checksum");
  scratch.write(find_reader("fashion-mnist")->files[0].substr(1), "no idx");
  refused("mlp-fashion", "is no idx file of images");
  const std::string rdb = find_reader("austen")->files[0].substr(1);
  scratch.write(rdb, std::string("\0\0", 2));
  refused("gpt-austen", "ends too early");
  scratch.write(rdb, std::string("\0\0\0\x05rubbish", 11));
  refused("gpt-austen", "a zlib stream is damaged");
  scratch.write(rdb, std::string("\x7f\0\0\x05rubbish", 11));
  refused("gpt-austen", "larger than 256 MiB");
}

}  // namespace
}  // namespace lockstep::workloads
