// docs/schedules.md shows what the product makes: the rows of the table and a picture of each schedule.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "reference_trainer/plan/schedule/picture.h"
#include "reference_trainer/plan/schedule/table.h"

namespace lockstep::schedule {
namespace {

/// The numbers of a schedule's picture; a new schedule has its row here.
struct Pictured {
  std::string_view name;
  Numbers numbers;
};

constexpr Pictured kPictured[] = {
    {"naive", {.ranks = 4, .microbatches = 1}},   {"gpipe", {.ranks = 4, .microbatches = 4}},
    {"1f1b", {.ranks = 4, .microbatches = 4}},    {"interleaved", {.ranks = 2, .microbatches = 2, .chunks = 2}},
    {"zb_h1", {.ranks = 4, .microbatches = 4}},   {"zb_h2", {.ranks = 4, .microbatches = 7}},
    {"gems", {.ranks = 4, .microbatches = 2}},    {"chimera", {.ranks = 4, .microbatches = 4}},
    {"arrival", {.ranks = 4, .microbatches = 4}}, {"pipedream", {.ranks = 3, .microbatches = 6}},
};

std::string page() {
  std::ifstream in(LOCKSTEP_SOURCE_DIR "/docs/schedules.md");
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (const char c : text) out += c == '\n' ? "\n    " : std::string(1, c);
  return out.substr(0, out.size() - 4);
}

std::string shown(const Pictured& p) {
  const Schedule schedule = generate(p.name, p.numbers);
  const Simulation found = simulate(schedule, {.stages = {{}}});
  const std::string chunks = p.numbers.chunks > 1 ? fmt::format(", v = {}", p.numbers.chunks) : "";
  const bool staggered = find_schedule(p.name).staggered;
  const std::string idle = staggered ? fmt::format("{:.1f} % of a rank's own time", 100 * found.span_bubble)
                                     : fmt::format("{:.1f} %", 100 * found.bubble);
  return fmt::format("`{}`, p = {}, m = {}{}: {} units; idle {}; activations held {}\n\n{}", p.name, p.numbers.ranks,
                     p.numbers.microbatches, chunks, found.makespan, idle, fmt::join(found.most_held, " "),
                     indented(picture(schedule, found)));
}

TEST(ScheduleDocs, ThePageHasEveryRowOfTheTable) {
  const std::string text = page();
  for (const Row& row : schedules()) {
    EXPECT_THAT(text, testing::HasSubstr(fmt::format("| `{}` | {} | {} | {} | {} |\n", row.name, row.rule,
                                                     row.bubble_text, row.in_flight_text, row.source)));
  }
}

TEST(ScheduleDocs, ThePageHasAPictureOfEverySchedule) {
  const std::string text = page();
  ASSERT_EQ(std::size(kPictured), schedules().size());
  for (const Pictured& p : kPictured) EXPECT_THAT(text, testing::HasSubstr(shown(p)));
}

}  // namespace
}  // namespace lockstep::schedule
