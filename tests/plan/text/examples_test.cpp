// Every example of the design: parses and prints to itself.
#include <gtest/gtest.h>

#include <string>

#include "reference_trainer/plan/text/action.h"
#include "reference_trainer/plan/text/cell_text.h"
#include "reference_trainer/plan/text/quantity.h"

namespace lockstep::text {
namespace {

TEST(Examples, StrategiesPrintToThemselves) {
  for (const char* text : {"serial",
                           "dp2",
                           "dp4/zero2/bucket:25MB@ring",
                           "pp4/pipedream:weights=stash",
                           "h2.w2",
                           "pp2.dp2.tp2/1f1b:m=8/zero1+bsp+ef+topk:0.01@ring",
                           "dp8+ssp:s=3,servers=2",
                           "dp8+local:h=8",
                           "dp16+gossip:ring+choco:0.3+topk:0.01",
                           "dp4/layout:one_weird_trick",
                           "dp4+fp16",
                           "dp2/accum:m=4",
                           "dp4/zero3:group=2",
                           "dp4/recompute:every=2",
                           "dp4/recompute:selective",
                           "dp2/offload:disk",
                           "dp2/amp:bf16",
                           "dp2@native",
                           "tp2/sp",
                           "pp2.dp2/1f1b:m=8"}) {
    EXPECT_EQ(print(parse_strategy(text)), text);
  }
}

TEST(Examples, CellsPrintToThemselves) {
  for (const char* text : {"gpt-austen:desk,lr=0.001,batch=64 reference pp2.dp2/1f1b:m=8 on mpi",
                           "gpt-austen:desk pytorch:env=torch-2.15,bucket_cap_mb=100 dp2 on gloo",
                           "mlp-digits:tiny reference dp32+async on "
                           "virtual:alpha=50us,bandwidth=10Gb/s,straggler=lognormal,sigma=0.3",
                           "mlp-fashion:tiny reference:kernels=naive serial",
                           "mlp-fashion:desk,data=synthetic,scaling=weak reference dp2 on null"}) {
    EXPECT_EQ(print(parse_cell(text)), text);
  }
}

TEST(Examples, QuantitiesAndActionsPrintToThemselves) {
  for (const char* text : {"25MB", "4MiB", "50us", "10Gb/s", "2%"}) EXPECT_EQ(print(parse_quantity(text)), text);
  for (const char* text : {"2F0", "0B3", "1I2", "1W2", "3SEND_F0", "3RECV_F0", "3SEND_B0", "3RECV_B0", "0GATHER1",
                           "0FREE1", "2REDUCE", "2STEP"}) {
    EXPECT_EQ(print(parse_action(text)), text);
  }
  EXPECT_EQ(print(parse_actions("0F0 0F1 0B0 0B1 0STEP")), "0F0 0F1 0B0 0B1 0STEP");
  EXPECT_EQ(parse_action("2F0"), (Action{2, ActionKind::F, 0}));
}

struct Case {
  const char* text;
  const char* canonical;
};

TEST(Examples, SeveralTextsOfOneStrategyHaveOneForm) {
  for (const auto& [text, canonical] : {
           Case{"dp1", "serial"},
           Case{"dp1.pp1", "serial"},
           Case{"dp02", "dp2"},
           Case{"pp2", "pp2/naive"},
           Case{"pp2.dp2/zero1", "pp2.dp2/naive/zero1"},
           Case{"dp2/bucket:25000kB/accum:m=04", "dp2/accum:m=4/bucket:25MB"},
           Case{"dp2/accum:m=1", "dp2"},
           Case{"dp2@auto", "dp2"},
           Case{"dp2+bsp", "dp2"},
           Case{"dp2+bsp+fp16", "dp2+fp16"},
           Case{"dp2+ef+topk:1e-2", "dp2+bsp+ef+topk:0.01"},
           Case{"dp8+ssp:servers=2,s=3", "dp8+ssp:s=3,servers=2"},
       }) {
    EXPECT_EQ(print(parse_strategy(text)), canonical) << text;
  }
  EXPECT_NE(parse_strategy("pp2.dp2"), parse_strategy("dp2.pp2")) << "the last axis varies fastest";
}

TEST(Examples, SeveralTextsOfOneCellHaveOneForm) {
  for (const auto& [text, canonical] : {
           Case{"mlp reference serial", "mlp:tiny reference serial"},
           Case{"mlp reference dp1 on mpi", "mlp:tiny reference serial"},
           Case{"mlp:tiny,batch=064,lr=1e-3 s:b=1,env=x,a=2 dp2", "mlp:tiny,lr=0.001,batch=64 s:env=x,a=2,b=1 dp2"},
           Case{"mlp:tiny,data=synthetic,width=8,layers=2,lr=0.1 s serial",
                "mlp:tiny,lr=0.1,width=8,layers=2,data=synthetic s serial"},
           Case{"mlp:tiny,seed=18446744073709551615 s serial", "mlp:tiny,seed=18446744073709551615 s serial"},
       }) {
    EXPECT_EQ(print(parse_cell(text)), canonical) << text;
  }
}

TEST(Examples, Ranks) {
  EXPECT_EQ(ranks(parse_strategy("serial")), 1);
  EXPECT_EQ(ranks(parse_strategy("pp2.dp3.tp4")), 24);
  EXPECT_EQ(parse_strategy("pp2.dp3.tp4").size(Axis::dp), 3);
  EXPECT_EQ(parse_strategy("pp2.dp3.tp4").size(Axis::cp), 1);
}

TEST(Examples, SizesOfTenAndOfTwoAreKeptApart) {
  EXPECT_EQ(parse_bytes("4MB"), 4'000'000);
  EXPECT_EQ(parse_bytes("4MiB"), 4 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("1.5kB"), 1500);
  EXPECT_EQ(parse_nanoseconds("50us"), 50'000);
  EXPECT_EQ(parse_nanoseconds("5min"), 300'000'000'000);
  EXPECT_EQ(parse_bits_per_second("1GB/s"), 8'000'000'000);
  EXPECT_DOUBLE_EQ(parse_fraction("2%"), 0.02);
  EXPECT_EQ(print_bytes(4194304), "4MiB");
  EXPECT_EQ(print_bytes(1024000), "1024kB");
}

}  // namespace
}  // namespace lockstep::text
