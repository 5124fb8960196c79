#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_trainer/plan/layout.h"
#include "reference_trainer/plan/mesh.h"

namespace lockstep::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Conversion on(Conversion::Kind kind, Axis axis, int tensor_axis = -1) { return {kind, axis, tensor_axis}; }

TEST(Mesh, LastAxisVariesFastest) {
  const Mesh mesh(text::parse_strategy("pp2.dp2.tp2/1f1b:m=8").axes);
  EXPECT_EQ(mesh.ranks(), 8);
  EXPECT_EQ(mesh.coordinate(5, Axis::pp), 1);
  EXPECT_EQ(mesh.coordinate(5, Axis::dp), 0);
  EXPECT_EQ(mesh.coordinate(5, Axis::tp), 1);
  EXPECT_THAT(mesh.group(5, Axis::dp), ElementsAre(5, 7));
  EXPECT_EQ(mesh.print_groups(Axis::tp), "{0,1} {2,3} {4,5} {6,7}");
  EXPECT_EQ(mesh.print_groups(Axis::dp), "{0,2} {1,3} {4,6} {5,7}");
  EXPECT_EQ(mesh.print_groups(Axis::pp), "{0,4} {1,5} {2,6} {3,7}");
  const Mesh large(text::parse_strategy("dp16.tp9").axes);
  EXPECT_EQ(large.print_groups(Axis::dp), "{0,9,..,135} {1,10,..,136} .. {8,17,..,143}");
  EXPECT_EQ(large.print_groups(Axis::tp), "{0,1,..,8} {9,10,..,17} .. {135,136,..,143}");
}

TEST(Mesh, SerialIsOneRank) {
  const Mesh mesh(text::parse_strategy("serial").axes);
  EXPECT_EQ(mesh.ranks(), 1);
  EXPECT_EQ(mesh.size(Axis::dp), 1);
  EXPECT_THAT(mesh.group(0, Axis::dp), ElementsAre(0));
}

/// Every pair of the layouts that one mesh axis can give a tensor with two axes.
TEST(Convert, IsTotalOverOneMeshAxis) {
  const Layout replicated{{{}, {}}, {}}, rows{{{Axis::dp}, {}}, {}}, columns{{{}, {Axis::dp}}, {}},
      partial{{{}, {}}, {Axis::dp}};
  EXPECT_THAT(convert(replicated, replicated), IsEmpty());
  EXPECT_THAT(convert(replicated, rows), ElementsAre(on(Conversion::slice, Axis::dp, 0)));
  EXPECT_THAT(convert(replicated, partial), ElementsAre(on(Conversion::zero_others, Axis::dp)));
  EXPECT_THAT(convert(rows, replicated), ElementsAre(on(Conversion::all_gather, Axis::dp, 0)));
  EXPECT_THAT(convert(rows, columns), ElementsAre(Conversion{Conversion::all_to_all, Axis::dp, 0, 1}));
  EXPECT_THAT(convert(rows, rows), IsEmpty());
  EXPECT_THAT(convert(rows, partial),
              ElementsAre(on(Conversion::all_gather, Axis::dp, 0), on(Conversion::zero_others, Axis::dp)));
  EXPECT_THAT(convert(partial, rows), ElementsAre(on(Conversion::reduce_scatter, Axis::dp, 0)));
  EXPECT_THAT(convert(partial, replicated), ElementsAre(on(Conversion::all_reduce, Axis::dp)));
  EXPECT_THAT(convert(partial, columns), ElementsAre(on(Conversion::reduce_scatter, Axis::dp, 1)));
  EXPECT_THAT(convert(partial, partial), IsEmpty());
}

TEST(Convert, KeepsTheCommonPartOfNestedSplits) {
  const Layout have{{{Axis::dp, Axis::tp}}, {}}, want{{{Axis::dp, Axis::cp}}, {}};
  EXPECT_THAT(convert(have, want),
              ElementsAre(on(Conversion::all_gather, Axis::tp, 0), on(Conversion::slice, Axis::cp, 0)));
  const Layout sums{{{}}, {Axis::dp, Axis::tp}}, shard{{{Axis::tp}}, {}};
  EXPECT_THAT(convert(sums, shard),
              ElementsAre(on(Conversion::reduce_scatter, Axis::tp, 0), on(Conversion::all_reduce, Axis::dp)));
}

/// A mesh axis moves to another tensor axis where it ends the split of the one and goes on that of the other.
TEST(Convert, TurnsSplitsOfOneAxisIntoSplitsOfAnother) {
  const Layout tokens{{{Axis::dp, Axis::ep}, {}}, {}}, experts{{{Axis::dp}, {Axis::ep}}, {}},
      within{{{Axis::ep, Axis::dp}, {}}, {}};
  EXPECT_THAT(convert(tokens, experts), ElementsAre(Conversion{Conversion::all_to_all, Axis::ep, 0, 1}));
  EXPECT_THAT(convert(experts, tokens), ElementsAre(Conversion{Conversion::all_to_all, Axis::ep, 1, 0}));
  // What lies inside must first be out of the way.
  EXPECT_THAT(convert(within, experts),
              ElementsAre(on(Conversion::all_gather, Axis::dp, 0), Conversion{Conversion::all_to_all, Axis::ep, 0, 1},
                          on(Conversion::slice, Axis::dp, 0)));
}

TEST(Layout, PrintsSplitsAndSums) {
  const graph::Tensor tensor{
      "x", {{graph::Dim::batch, 0}, {graph::Dim::hidden, 64}}, graph::Type::real, graph::Role::activation, {}, -1};
  EXPECT_EQ(print(Layout{{{Axis::dp, Axis::ep}, {}}, {Axis::tp}}, tensor), "[batch/dp/ep, hidden 64] partial tp");
}

}  // namespace
}  // namespace lockstep::plan
