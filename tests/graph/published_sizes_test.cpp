// The published sizes of the workloads: parameters to the last one, multiply-adds of a forward pass.
#include <gtest/gtest.h>

#include "reference_trainer/graph/build.h"
#include "reference_trainer/graph/cost.h"
#include "workloads/data/workload.h"

namespace lockstep::graph {
namespace {

struct Published {
  const char *workload, *preset;
  int64_t parameters;
  double giga_multiply_adds;  ///< a sample, as published: to half a unit of its last digit
  double digit;
};

void PrintTo(const Published& p, std::ostream* out) { *out << p.workload << ":" << p.preset; }

// Multiply-adds are those of products, convolutions and recurrences.
const Published kPublished[] = {
    {"vgg16", "paper", 138'357'544, 15.47, 0.01},  // Simonyan and Zisserman 2015; torchvision's vgg16
};

class PublishedSizes : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedSizes, AreThoseOfThePaper) {
  const Published& row = GetParam();
  const Graph graph = build(workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", row.workload, row.preset, {}).json());
  EXPECT_EQ(parameter_count(graph), row.parameters);
  const double multiply_adds = static_cast<double>(model_flops_per_sample(graph)) / 6 / 1e9;
  EXPECT_NEAR(multiply_adds, row.giga_multiply_adds, row.digit / 2);
}

INSTANTIATE_TEST_SUITE_P(All, PublishedSizes, ::testing::ValuesIn(kPublished), [](const auto& info) {
  std::string name = std::string(info.param.workload) + "_" + info.param.preset;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace lockstep::graph
