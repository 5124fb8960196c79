// Malformed texts and their exact messages: column, what was expected, and the nearest legal form.
#include <gtest/gtest.h>

#include <string>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/text/action.h"
#include "reference_trainer/plan/text/cell_text.h"
#include "reference_trainer/plan/text/quantity.h"

namespace lockstep::text {
namespace {

template <class Parse>
std::string message(Parse parse, const std::string& text) {
  try {
    parse(text);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "usage");
    return failure.what();
  }
  return "legal";
}

struct Malformed {
  const char* text;
  const char* message;
};

TEST(Malformed, Strategies) {
  for (
      const auto& [text, expected] : {
          Malformed{
              "",
              R"(strategy: column 1: "": expected serial or an axis (dp, tp, pp, cp, ep, h, w), found the end; nearest legal form: serial)"},
          Malformed{
              "DP2",
              R"(strategy: column 1: "DP2": expected serial or an axis (dp, tp, pp, cp, ep, h, w), found "DP2"; nearest legal form: dp2)"},
          Malformed{"dp",
                    R"(strategy: column 3: "dp": expected the size of dp, found the end; nearest legal form: dp2)"},
          Malformed{
              "dp0",
              R"(strategy: column 3: "dp0": expected a size of dp from 1 to 1048576: a mesh has at most 1048576 ranks, found "0"; nearest legal form: serial)"},
          Malformed{
              "dp1048576.tp2",
              R"(strategy: column 13: "dp1048576.tp2": expected a size of tp from 1 to 1: a mesh has at most 1048576 ranks, found "2"; nearest legal form: dp1048576)"},
          Malformed{
              "dp2.dp3",
              R"(strategy: column 5: "dp2.dp3": expected each axis once, dp is there already, found "dp3"; nearest legal form: dp2)"},
          Malformed{
              "dp2@rign",
              R"(strategy: column 5: "dp2@rign": expected a collective (on this mesh: auto, ring, rabenseifner, tree, direct, native), found "rign"; nearest legal form: dp2@ring)"},
          Malformed{
              "dp2/bukcet:25MB/acum:m=4",
              R"(strategy: column 5: "dp2/bukcet:25MB/acum:m=4": expected a layout, schedule or pass (on this mesh: layout, sync_bn, accum, amp, recompute, offload, zero1, zero2, zero3, hsdp, bucket, prefetch), found "bukcet"; nearest legal form: dp2/accum:m=4/bucket:25MB)"},
          Malformed{
              "dp2//bucket:1MB",
              R"(strategy: column 5: "dp2//bucket:1MB": expected a layout, schedule or pass, made of A-Z a-z 0-9 _, found "/bucket"; nearest legal form: dp2/bucket:1MB)"},
          Malformed{
              "dp2/foo",
              R"(strategy: column 5: "dp2/foo": expected a layout, schedule or pass (on this mesh: layout, sync_bn, accum, amp, recompute, offload, zero1, zero2, zero3, hsdp, bucket, prefetch), found "foo"; nearest legal form: dp2)"},
          Malformed{
              "serial/bukcet:1MB@rign",
              R"(strategy: column 8: "serial/bukcet:1MB@rign": expected a layout, schedule or pass (on this mesh: accum, amp, recompute, offload), found "bukcet"; nearest legal form: serial)"},
          Malformed{
              "serial@rign",
              R"(strategy: column 8: "serial@rign": expected a collective (on this mesh: none), found "rign"; nearest legal form: serial)"},
          Malformed{
              "pp2/zb_h3:m=4",
              R"(strategy: column 5: "pp2/zb_h3:m=4": expected a layout, schedule or pass (on this mesh: stages, naive, gpipe, 1f1b, interleaved, zb_h1, zb_h2, gems, chimera, arrival, pipedream, accum, amp, recompute, offload), found "zb_h3"; nearest legal form: pp2/zb_h1:m=4)"},
          Malformed{
              "dp2/accum:m=",
              R"(strategy: column 13: "dp2/accum:m=": expected a value for m, made of A-Z a-z 0-9 ._%-, found the end; nearest legal form: dp2)"},
          Malformed{
              "dp2/accum:m=2,m=3",
              R"(strategy: column 15: "dp2/accum:m=2,m=3": expected each key once, m is there already, found "m"; nearest legal form: dp2/accum:m=2)"},
          Malformed{
              "dp2/bucket:1MB/bucket:2MB",
              R"(strategy: column 16: "dp2/bucket:1MB/bucket:2MB": expected each term once, bucket is there already, found "bucket"; nearest legal form: dp2/bucket:1MB)"},
          Malformed{
              "dp2+ssp:s=3/bucket:1MB",
              R"(strategy: column 12: "dp2+ssp:s=3/bucket:1MB": expected "+", "@" or the end, found "/bucket"; nearest legal form: dp2)"},
          Malformed{
              "dp2\n",
              R"(strategy: column 4: "dp2\x0a": expected "/", "+", "@" or the end, found "\x0a"; nearest legal form: dp2)"},
      }) {
    EXPECT_EQ(message(parse_strategy, text), expected);
  }
}

TEST(Malformed, Cells) {
  for (
      const auto& [text, expected] : {
          Malformed{
              "mlp",
              R"(cell: column 4: "mlp": expected one blank and a system, found the end; nearest legal form: mlp:tiny reference serial)"},
          Malformed{
              "mlp  s dp2",
              R"(cell: column 5: "mlp  s dp2": expected a system after one blank, found " s"; nearest legal form: mlp:tiny s dp2)"},
          Malformed{
              "mlp:lr=1 s dp2",
              R"(cell: column 5: "mlp:lr=1 s dp2": expected a preset such as tiny before the first key, found "lr"; nearest legal form: mlp:tiny,lr=1 s dp2)"},
          Malformed{
              "Mlp s dp2",
              R"(cell: column 1: "Mlp s dp2": expected a workload such as mlp-fashion, made of a-z 0-9 _ - and not starting with _ or -, found "Mlp"; nearest legal form: mlp:tiny s dp2)"},
          Malformed{
              "mlp s dp2/bukcet:1MB on mpi",
              R"(cell: column 11: "mlp s dp2/bukcet:1MB on mpi": expected a layout, schedule or pass (on this mesh: layout, sync_bn, accum, amp, recompute, offload, zero1, zero2, zero3, hsdp, bucket, prefetch), found "bukcet"; nearest legal form: mlp:tiny s dp2/bucket:1MB on mpi)"},
          Malformed{
              "mlp s dp2 in mpi",
              R"(cell: column 10: "mlp s dp2 in mpi": expected "/", "+", "@", " on FABRIC" or the end, found " in"; nearest legal form: mlp:tiny s dp2)"},
      }) {
    EXPECT_EQ(message(parse_cell, text), expected);
  }
}

TEST(Malformed, Quantities) {
  for (
      const auto& [text, expected] : {
          Malformed{
              "25",
              R"(size: column 3: "25": expected a unit of size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), found the end; nearest legal form: 25B)"},
          Malformed{
              "25mb",
              R"(size: column 3: "25mb": expected a unit of size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), found "mb"; nearest legal form: 25MB)"},
          Malformed{
              "25M",
              R"(size: column 3: "25M": expected a unit of size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), found "M"; nearest legal form: 25MB)"},
          Malformed{
              "4 MB",
              R"(size: column 2: "4 MB": expected a unit of size (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), found " MB"; nearest legal form: 4MB)"},
          Malformed{
              "0.5B",
              R"(size: column 1: "0.5B": expected a whole number of the smallest unit, one byte, found "0"; nearest legal form: 1B)"},
          Malformed{
              "-1B",
              R"(size: column 1: "-1B": expected a number without a sign, found "-1B"; nearest legal form: 25MB)"},
          Malformed{
              "9223372036854775808B",
              R"(size: column 1: "9223372036854775808B": expected at most 2^63 - 1 of the smallest unit, one byte, found "9223372036854775808B"; nearest legal form: 9223372036854775807B)"},
      }) {
    EXPECT_EQ(message(parse_bytes, text), expected);
  }
  EXPECT_EQ(
      message([](const std::string& text) { parse_quantity(text); }, "7"),
      R"(quantity: column 2: "7": expected a unit such as MB, MiB, us, Gb/s or %, found the end; nearest legal form: 7B)");
}

TEST(Malformed, Actions) {
  for (
      const auto& [text, expected] : {
          Malformed{"F0", R"(action: column 1: "F0": expected a stage, found "F0"; nearest legal form: 0F0)"},
          Malformed{
              "2f0",
              R"(action: column 2: "2f0": expected F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, GATHER, FREE, REDUCE or STEP, found "f0"; nearest legal form: 2F0)"},
          Malformed{"2F", R"(action: column 3: "2F": expected a microbatch, found the end; nearest legal form: 2F0)"},
          Malformed{"2STEPS", R"(action: column 6: "2STEPS": expected the end, found "S"; nearest legal form: 2STEP)"},
      }) {
    EXPECT_EQ(message(parse_action, text), expected);
  }
}

TEST(Malformed, TooLong) {
  EXPECT_NE(message(parse_strategy, std::string(70000, 'a')).find("expected at most 65536 characters, found 70000"),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep::text
