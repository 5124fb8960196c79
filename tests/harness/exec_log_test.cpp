#include <gmock/gmock.h>

#include <cmath>

#include "adapters/contract/failure.h"
#include "harness/exec/log_test.h"
#include "harness/exec/timeline.h"

/// What is read in logs of the frameworks whose formats are known by name (tests/harness/logs), and when it came.
namespace lockstep::exec {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<Line> lines_of(const std::string& format) {
  return split(read_log(LOCKSTEP_SOURCE_DIR "/tests/harness/logs/" + format + ".log"), "");
}

struct Expected {
  const char* format;
  size_t told;  ///< lines that tell a new step
  int64_t first, last;
  TimeSource source;
  double first_loss, last_loss;
};

class Formats : public ::testing::TestWithParam<Expected> {};

TEST_P(Formats, AreFoundByThemselvesAndReadWhole) {
  const Expected& expected = GetParam();
  const Reading reading = read_as("auto", lines_of(expected.format));
  EXPECT_EQ(reading.format.name, expected.format);
  ASSERT_EQ(reading.points.size(), expected.told);
  EXPECT_EQ(reading.points.front().step, expected.first);
  EXPECT_EQ(reading.points.back().step, expected.last);
  EXPECT_EQ(source_of(reading), expected.source);
  const Timeline timeline = timeline_of(reading, lines_of(expected.format));
  ASSERT_EQ(timeline.steps.size(), static_cast<size_t>(expected.last - expected.first));
  const auto& first = std::get<contract::Step>(timeline.steps.front().body);
  const auto& last = std::get<contract::Step>(timeline.steps.back().body);
  if (std::isnan(expected.first_loss)) {
    EXPECT_EQ(first.loss_weight, 0);
  } else {
    EXPECT_DOUBLE_EQ(first.loss, expected.first_loss);
    EXPECT_DOUBLE_EQ(last.loss, expected.last_loss);
  }
}

INSTANTIATE_TEST_SUITE_P(Logs, Formats,
                         ::testing::Values(Expected{"torchtitan", 11, 1, 100, TimeSource::arrival, 8.0, 6.2},
                                           Expected{"megatron", 12, 5, 60, TimeSource::mean, 8.5, 6.0},
                                           Expected{"nanogpt", 41, 0, 40, TimeSource::own, 4.25, 3.47},
                                           Expected{"lightning", 25, 0, 24, TimeSource::arrival, 2.9, 0.6},
                                           Expected{"hf-trainer", 41, 0, 40, TimeSource::arrival, 2.3, 1.7},
                                           Expected{"deepspeed", 10, 10, 100, TimeSource::arrival, std::nan(""),
                                                    std::nan("")}),
                         [](const auto& instance) {
                           std::string name = instance.param.format;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Formats, NoneReadsTheLogOfAnotherBetterThanItsOwn) {
  for (const LogFormat& written : formats()) {
    const auto lines = lines_of(written.name);
    const size_t own = read(written, lines).points.size();
    for (const LogFormat& format : formats()) {
      if (format.name == written.name) continue;
      EXPECT_LT(read(format, lines).points.size(), own) << format.name;
    }
  }
}

TEST(Reading, OtherRanksRepeatAStepAndAnEvaluationHasAnotherTotal) {
  EXPECT_EQ(read_as("torchtitan", lines_of("torchtitan")).repeated, 11);
  EXPECT_EQ(read_as("hf-trainer", lines_of("hf-trainer")).other_total, 9);
}

TEST(Reading, MegatronTellsTheBatchAndMetricsKeepTheirNames) {
  EXPECT_EQ(read_as("megatron", lines_of("megatron")).points.front().samples, 8);
  const Reading titan = read_as("torchtitan", lines_of("torchtitan"));
  ASSERT_FALSE(titan.metrics.empty());
  EXPECT_EQ(titan.metrics.back().name, "tokens_of_a_device_per_s");
  EXPECT_EQ(titan.metrics.back().value, 7100);
}

TEST(Reading, ExpressionsOfTheUsersOwnInBothSpellings) {
  const auto lines = split("epoch 1 | it 3 | loss=1,234.5 | 12.5 ms\nepoch 1 | it 4 | loss=nan | 12.6 ms\nbye\n", "");
  for (const char* log : {"it {step} .*loss={loss} .* {time_ms} ms",
                          R"(it (?P<step>\d+) .*loss=(?<loss>\S+) .* (?<time_ms>[\d.]+) ms)"}) {
    const Reading reading = read_as(log, lines);
    ASSERT_THAT(reading.points, SizeIs(2)) << log;
    EXPECT_EQ(reading.points[0].loss, 1234.5);
    EXPECT_TRUE(std::isnan(*reading.points[1].loss));
    EXPECT_DOUBLE_EQ(*reading.points[1].own_s, 0.0126);
    EXPECT_THAT(reading.unmatched, ElementsAre(2));
  }
}

TEST(Reading, WithoutAStepEachLineCountsAsOne) {
  const Reading reading = read_as("loss {loss}", split("loss 3\nloss 2\nloss 1\n", ""));
  EXPECT_TRUE(reading.counted);
  EXPECT_EQ(reading.points.back().step, 3);
}

TEST(Reading, AMistypedFormatOrExpressionSaysWhere) {
  const auto message = [](const std::string& log) -> std::string {
    try {
      read_as(log, {});
    } catch (const Failure& failure) {
      return failure.kind() + ": " + failure.what();
    }
    return "none";
  };
  EXPECT_THAT(message("nanogtp"), AllOf(HasSubstr("usage"), HasSubstr("did you mean nanogpt")));
  EXPECT_THAT(message("loss (?<loss>\\S+"), AllOf(HasSubstr("usage"), HasSubstr("column"), HasSubstr("parenthes")));
}

TEST(Lines, ColoursAndRedrawnBarsAreTakenAway) {
  const auto lines = split("\x1b[31mred\x1b[0m text\r\n\rhalf\rwhole\n\n\x1b]0;title\x07last", "");
  std::vector<std::string> texts;
  for (const Line& line : lines) texts.push_back(line.text);
  EXPECT_THAT(texts, ElementsAre("red text", "half", "whole", "last"));
  EXPECT_EQ(lines.back().number, 4);
}

TEST(Lines, ALineIsAsOldAsItsLastByteNotItsEnd) {
  // Three pieces: "\rone" at 10, "\rtwo" at 20, "\n" at 30.
  const auto lines = split("\rone\rtwo\n", "10 4\n20 4\n30 1\n");
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].arrived_ns, 10);
  EXPECT_EQ(lines[1].arrived_ns, 20);
}

// A log in which line i tells step `every` x i and comes at times[i] ns.
std::vector<Line> arriving(const std::vector<int64_t>& times, int64_t every) {
  std::vector<Line> lines;
  for (size_t i = 0; i < times.size(); ++i) {
    lines.push_back({"step " + std::to_string(static_cast<int64_t>(i) * every) + " loss 1 took 1 ms",
                     static_cast<int64_t>(i) + 1, times[i], 0});
  }
  return lines;
}

double mean_ns(const Timeline& timeline) {
  const auto& first = std::get<contract::Step>(timeline.steps.front().body);
  const auto& last = std::get<contract::Step>(timeline.steps.back().body);
  return static_cast<double>(last.t1 - first.t0) / static_cast<double>(timeline.steps.size());
}

TEST(Timeline, AStallEvery50StepsIsInTheTime) {
  std::vector<int64_t> times{0};
  for (int64_t i = 1; i <= 200; ++i) times.push_back(times.back() + 10'000'000 + (i % 50 == 0 ? 500'000'000 : 0));
  const auto lines = arriving(times, 1);
  EXPECT_DOUBLE_EQ(mean_ns(timeline_of(read_as("step {step} ", lines), lines)), 20'000'000);
}

TEST(Timeline, ALineEveryTenStepsMakesTenEqualSteps) {
  const auto lines = arriving({0, 100, 300}, 10);
  const Timeline timeline = timeline_of(read_as("step {step} ", lines), lines);
  ASSERT_THAT(timeline.steps, SizeIs(20));
  EXPECT_EQ(std::get<contract::Step>(timeline.steps[0].body).t1, 10);
  EXPECT_EQ(std::get<contract::Step>(timeline.steps[19].body).t0, 280);
}

TEST(Timeline, TheLogsOwnTimesCountOnlyWhereTheyCoverEveryStep) {
  const std::string own = "step {step} loss {loss} took {time_ms} ms",
                    mean = "step {step} loss {loss} took {mean_ms} ms";
  const auto each = arriving({0, 5'000'000, 10'000'000}, 1), tenth = arriving({0, 5'000'000, 10'000'000}, 10);
  EXPECT_DOUBLE_EQ(mean_ns(timeline_of(read_as(own, each), each)), 1'000'000);
  EXPECT_DOUBLE_EQ(mean_ns(timeline_of(read_as(own, tenth), tenth)), 500'000);  // the ten's last one says little
  EXPECT_DOUBLE_EQ(mean_ns(timeline_of(read_as(mean, tenth), tenth)), 1'000'000);
}

TEST(Timeline, BufferedOutputIsNoticed) {
  const auto bunched = arriving({0, 1, 2, 3, 1000, 1001, 1002, 1003}, 1);
  EXPECT_TRUE(timeline_of(read_as("step {step} ", bunched), bunched).in_bunches);
  const auto even = arriving({0, 100, 220, 310}, 1);
  EXPECT_FALSE(timeline_of(read_as("step {step} ", even), even).in_bunches);
}

TEST(LogTest, ShowsWhatMatchedAndWhatDidNot) {
  const std::string file = LOCKSTEP_SOURCE_DIR "/tests/harness/logs/nanogpt.log";
  const LogTest test{file, read_log(file), "auto"};
  EXPECT_THAT(to_text(test), AllOf(HasSubstr("46 lines"), HasSubstr("0 to 40"), HasSubstr("<- read"),
                                   HasSubstr("not matched: 5 lines"), HasSubstr("tokens per iteration"),
                                   HasSubstr("own time of each step")));
  EXPECT_THAT(to_json(test), AllOf(HasSubstr("lockstep.log_test"), HasSubstr("\"matched\": 41")));
  EXPECT_THAT(to_text({"f", "nothing here\n", "auto"}), HasSubstr("no line tells a step"));
}

}  // namespace
}  // namespace lockstep::exec
