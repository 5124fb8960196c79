#include "results/report/lint.h"

#include <gmock/gmock.h>

#include <functional>

#include "results/report/build.h"
#include "results/report/pivot.h"
#include "tests/harness/report_fixture.h"

namespace lockstep::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReportModel awkward_model() {
  const lockstep::testing::Lab lab;
  store::Store store = store::Store::open(lab.store_file.string(), store::OpenMode::create);
  return build_report(store, snapshot::load(store, testing::awkward_campaign(store)));
}

TEST(Lint, HasNothingAgainstAReportOfOurs) { EXPECT_THAT(lint(awkward_model()), IsEmpty()); }

/// One thing that a report must not do, and a word of the complaint.
struct Fault {
  const char* name;
  std::function<void(ReportModel&)> make;
  const char* complaint;
};

Column& first(ReportModel& model, Quantity quantity) {
  for (Section& section : model.sections) {
    for (Figure& figure : section.figures) {
      for (Column& column : figure.table.columns) {
        if (column.quantity == quantity) return column;
      }
    }
  }
  throw std::logic_error("no such column");
}

Figure& first(ReportModel& model, Mark mark) {
  for (Section& section : model.sections) {
    for (Figure& figure : section.figures) {
      if (figure.mark == mark) return figure;
    }
  }
  throw std::logic_error("no such figure");
}

const std::vector<Fault> kFaults = {
    {"no_base", [](ReportModel& m) { first(m, Quantity::ratio).base.clear(); }, "base is not named"},
    {"mean_of_rates", [](ReportModel& m) { first(m, Quantity::rate).centre = Centre::arithmetic_mean; },
     "arithmetic means are for costs"},
    {"harmonic_mean_of_costs", [](ReportModel& m) { first(m, Quantity::cost).centre = Centre::harmonic_mean; },
     "harmonic for rates"},
    {"geometric_mean_of_costs", [](ReportModel& m) { first(m, Quantity::cost).centre = Centre::geometric_mean; },
     "geometric for ratios"},
    {"no_interval", [](ReportModel& m) { first(m, Quantity::rate).interval.clear(); }, "say its interval"},
    {"bare_value",
     [](ReportModel& m) {
       for (Row& row : first(m, Mark::dots).table.rows) row.values[1].estimate.level = 0;
     },
     "a value of several launches has no interval"},
    {"parallel_time_unsaid", [](ReportModel& m) { m.parallel_time.clear(); }, "how the time of a parallel launch"},
    {"no_machine", [](ReportModel& m) { std::erase_if(m.setup, [](const Fact& f) { return f.name == "machine"; }); },
     "machine is not documented"},
    {"joined_categories", [](ReportModel& m) { first(m, Mark::line).x.continuous = false; }, "no line may join them"},
    {"no_unit", [](ReportModel& m) { first(m, Quantity::rate).unit.clear(); }, "has no unit"},
    {"axis_without_unit", [](ReportModel& m) { first(m, Mark::line).y.unit.clear(); }, "an axis needs"},
    {"no_bound",
     [](ReportModel& m) {
       for (Section& section : m.sections) {
         for (Figure& figure : section.figures) figure.bound.reset();
       }
     },
     "show the bound"}};

class LintFaults : public ::testing::TestWithParam<Fault> {};

TEST_P(LintFaults, AreFound) {
  ReportModel model = awkward_model();
  GetParam().make(model);
  EXPECT_THAT(lint(model), ElementsAre(HasSubstr(GetParam().complaint)));
}

INSTANTIATE_TEST_SUITE_P(Seeded, LintFaults, ::testing::ValuesIn(kFaults),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace lockstep::report
