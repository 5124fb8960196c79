#include "results/report/formats.h"

#include <gmock/gmock.h>

#include <array>
#include <clocale>
#include <locale>

#include "harness/launch/capture.h"
#include "results/report/build.h"
#include "results/report/render.h"
#include "results/report/save.h"
#include "results/report/tables.h"
#include "tests/harness/report_fixture.h"

namespace lockstep::report {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

/// Every output of the awkward campaign: html, json, csv, markdown, latex, table.
std::array<std::string, 6> all_formats(unsigned seed = 0) {
  const lockstep::testing::Lab lab;
  store::Store store = store::Store::open(lab.store_file.string(), store::OpenMode::create);
  const auto snapshot = snapshot::load(store, testing::awkward_campaign(store, seed));
  const ReportModel model = build_report(store, snapshot);
  return {html(model),
          to_json(snapshot),
          csv(cells_table(snapshot)),
          markdown(model, "lockstep report @1 --format csv"),
          latex(model),
          table(store, snapshot)};
}

TEST(Formats, AwkwardNamesAndNumbersSurviveStrictParsersAndFiguresAgree) {
  if (launch::find_executable("python3").empty()) GTEST_SKIP() << "no python3 to parse with";
  const lockstep::testing::Lab lab;
  const auto texts = all_formats();
  std::vector<std::string> command{"python3", LOCKSTEP_SOURCE_DIR "/tests/harness/report_check.py"};
  for (size_t i = 0; i < 4; ++i) {
    command.push_back((lab.folder / std::to_string(i)).string());
    save(command.back(), texts[i]);
  }
  const launch::Captured result = launch::capture(command, 60);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(" figures compared"));
}

TEST(Formats, AreTheSameBytesInWhateverOrderLaunchesCame) {
  const auto expected = all_formats(), other = all_formats(5);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(expected[i], other[i]) << i;
}

struct GermanNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Formats, NeverDependOnTheLocale) {
  const auto expected = all_formats();
  const std::locale before = std::locale::global(std::locale(std::locale(), new GermanNumbers));
  const std::string c_before = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed
  const auto german = all_formats();
  std::setlocale(LC_ALL, c_before.c_str());
  std::locale::global(before);
  EXPECT_EQ(expected, german);
}

TEST(Formats, AFailedCellIsARowWithItsReasonAndACommandThatCanBePasted) {
  const auto texts = all_formats();
  for (size_t i : {0, 2, 3, 4}) {
    EXPECT_THAT(texts[i], HasSubstr(i == 4   ? "out\\_of\\_memory"
                                    : i == 3 ? "out\\_of\\_memory"
                                             : "out_of_memory"))
        << i;
  }
  EXPECT_THAT(texts[0], HasSubstr("lockstep show @1.5 --log all -20"));
  EXPECT_THAT(texts[2], HasSubstr("lockstep show @1.5 --log all -20"));
  EXPECT_THAT(texts[2], HasSubstr("no finished launch"));
  EXPECT_THAT(texts[0], AllOf(Not(HasSubstr("<script")), Not(HasSubstr("http:")), Not(HasSubstr("https:"))));
}

TEST(Formats, LatexHasNoSpecialCharacterThatIsNotEscaped) {
  const std::string text = all_formats()[4];
  for (size_t at = text.find("alert"); at != text.npos; at = text.find("alert", at + 1)) {
    EXPECT_EQ(text.substr(at, 8), "alert(1)");
  }
  EXPECT_THAT(text, HasSubstr("\\textless{}script\\textgreater{}"));
  EXPECT_THAT(text,
              HasSubstr("\\&\\textbackslash{}\\textbar{}\\_\\%\\$\\#\\{\\}\\textasciitilde{}\\textasciicircum{}"));
}

TEST(Formats, MarkdownIsTrimmedWithALineThatSaysWhatIsMissing) {
  ReportModel model;
  model.title = "t";
  Table table;
  table.title = "long";
  table.columns = {name_column("a", "a")};
  for (int i = 0; i < 5000; ++i) table.rows.push_back({"", {{std::string(20, 'x'), {}, false, ""}}});
  model.sections.resize(1);
  model.sections[0].tables = {table};
  const std::string text = markdown(model, "lockstep report @1 --format csv");
  EXPECT_LE(text.size(), 60'000U);
  EXPECT_GT(text.size(), 59'000U);
  EXPECT_THAT(text, HasSubstr("lines. All of it: `lockstep report @1 --format csv`\n"));
  EXPECT_THAT(markdown(model, "all", 1'000'000), Not(HasSubstr("Left out")));
}

}  // namespace
}  // namespace lockstep::report
