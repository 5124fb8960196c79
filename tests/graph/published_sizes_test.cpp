// The published sizes of the workloads: parameters to the last one, multiply-adds of a forward pass.
#include <gtest/gtest.h>

#include "reference_trainer/graph/build.h"
#include "reference_trainer/graph/cost.h"
#include "tests/test_name.h"
#include "workloads/data/workload.h"

namespace lockstep::graph {
namespace {

struct Published {
  const char *workload, *preset;
  int64_t parameters;
  double giga_multiply_adds = 0;  ///< a sample, as published: to half a unit of its last digit; 0: not published
  double digit = 0;
};

void PrintTo(const Published& p, std::ostream* out) { *out << p.workload << ":" << p.preset; }

// Multiply-adds are those of products, convolutions and recurrences.
const Published kPublished[] = {
    {"vgg16", "paper", 138'357'544, 15.47, 0.01},      // Simonyan and Zisserman 2015; torchvision's vgg16
    {"resnet20", "paper", 269'722, 0.04055, 0.00001},  // He et al. 2016: 0.27 million
    {"resnet50", "paper", 25'557'032, 4.09, 0.01},     // He et al. 2016; torchvision's resnet50
    {"alexnet", "paper", 61'100'840, 0.71, 0.01},      // Krizhevsky 2014; torchvision's alexnet
    {"gpt2", "paper", 124'439'808},                    // Radford et al. 2019, as their code has it
    {"gpt2", "medium", 354'823'168},
    {"bert", "paper", 109'514'298},             // Devlin et al. 2019: 110 million; BertForMaskedLM of Hugging Face
    {"dlrm", "paper", 540'677'217},             // Naumov et al. 2019: about 540 million
    {"moe-gpt", "paper", 13'149'486'080},       // Rajbhandari et al. 2022, 350M+MoE-128: 13 billion
    {"vit", "paper", 86'567'656, 17.56, 0.01},  // Dosovitskiy et al. 2021; torchvision's vit_b_16
};

class PublishedSizes : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedSizes, AreThoseOfThePaper) {
  const Published& row = GetParam();
  const Graph graph = build(workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", row.workload, row.preset, {}).json());
  EXPECT_EQ(parameter_count(graph), row.parameters);
  const double multiply_adds = static_cast<double>(model_flops_per_sample(graph)) / 6 / 1e9;
  if (row.giga_multiply_adds > 0) {
    EXPECT_NEAR(multiply_adds, row.giga_multiply_adds, row.digit / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PublishedSizes, ::testing::ValuesIn(kPublished), [](const auto& info) {
  return test_name({info.param.workload, info.param.preset});
});

}  // namespace
}  // namespace lockstep::graph
