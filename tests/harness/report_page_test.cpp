#include <gmock/gmock.h>

#include <fstream>

#include "harness/launch/capture.h"
#include "results/report/build.h"
#include "results/report/formats.h"
#include "results/report/save.h"
#include "tests/harness/report_fixture.h"

/// The page from outside: `report`, the end of `run`, and a browser where there is one.
namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::Lab;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> small_run(std::vector<std::string> more = {}) {
  std::vector<std::string> all{"run", "-w", testing::kTinyWork, "-S", "fake:step_us=500", "--no-verify", "-n", "1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Page, IsWrittenAtTheEndOfARunAndNamedInItsLastLine) {
  const Lab lab;
  const auto result = lab.lockstep(small_run());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.ends_with("report: lockstep-report/cells-1.html\n")) << result.out;
  EXPECT_THAT(lockstep::testing::text_of(lab.folder / "lockstep-report/cells-1.html"), StartsWith("<!DOCTYPE html>"));
}

TEST(Page, IsNotWrittenForADocument) {
  const Lab lab;
  EXPECT_THAT(lab.lockstep(small_run({"--json"})).out, Not(HasSubstr("report:")));
  EXPECT_FALSE(fs::exists(lab.folder / "lockstep-report"));
}

TEST(Page, ThatCannotBeWrittenIsAWarning) {
  const Lab lab;
  std::ofstream(lab.folder / "lockstep-report") << "a file where a folder should be";
  const auto result = lab.lockstep(small_run());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no report: "));
}

TEST(Page, GoesWhereOutputSays) {
  const Lab lab;
  lab.lockstep(small_run());
  EXPECT_EQ(lab.lockstep({"report", "--format", "html", "--output", "a/b.html"}).out, "a/b.html\n");
  EXPECT_THAT(lockstep::testing::text_of(lab.folder / "a/b.html"), HasSubstr("</html>"));
  EXPECT_EQ(lab.lockstep({"report", "--format", "csv", "-o", "c.csv"}).out, "c.csv\n");
  EXPECT_THAT(lab.lockstep({"report", "--methods"}).out, HasSubstr("n = 1 launches each"));
  EXPECT_EQ(lab.lockstep({"report", "--format", "pdf"}).code, 2);
}

TEST(Page, IsRenderedByABrowser) {
  const std::string browser = launch::find_executable("chromium");
  if (browser.empty()) GTEST_SKIP() << "no chromium to render with";
  const Lab lab;
  store::Store store = store::Store::open(lab.store_file.string(), store::OpenMode::create);
  const auto snapshot = snapshot::load(store, report::testing::awkward_campaign(store));
  const fs::path page = lab.folder / "page.html", picture = lab.folder / "page.png";
  report::save(page, report::html(report::build_report(store, snapshot)));
  const auto result = launch::capture(
      {browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + (lab.folder / "profile").string(),
       "--screenshot=" + picture.string(), "--window-size=1280,2400", "file://" + page.string()},
      120);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_GT(fs::file_size(picture), 50'000U);  // an empty page of this size takes about 15 kB
}

}  // namespace
}  // namespace lockstep
