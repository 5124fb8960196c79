#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QJsonArray>
#include <QTest>
#include <cmath>
#include <fstream>

#include "gui/core/pages/compare.h"
#include "gui/core/pages/launches.h"
#include "gui/core/pages/overview.h"
#include "gui/core/pages/scaling.h"
#include "gui/core/pages/system_answers.h"
#include "gui/core/text.h"
#include "gui/widgets/chart_view.h"
#include "gui/widgets/export.h"
#include "gui/widgets/page_table.h"
#include "gui/widgets/render.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/timeline_view.h"
#include "tests/gui/fixture.h"
#include "tests/results/campaign_fixture.h"

namespace lockstep::gui {
namespace {

using fixture::fixture_store;
using fixture::lockstep_json;
using fixture::Shown;
using store::testing::failure_of;
using store::testing::Folder;
using ::testing::HasSubstr;
using ::testing::Not;

/// The raw values of a column, by row.
std::map<std::string, double> column(const report::Table& table, const std::string& key) {
  std::map<std::string, double> out;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key != key) continue;
    for (const report::Row& row : table.rows) {
      if (row.values[i].missing.empty() && !row.cell.empty()) out[row.cell] = row.values[i].estimate.value;
    }
  }
  return out;
}

/// Every number of `lockstep report --json` of that name, by cell.
std::map<std::string, double> reported(const QJsonObject& report, const char* member) {
  std::map<std::string, double> out;
  for (const QJsonValue& workload : report["workloads"].toArray()) {
    for (const QJsonValue& cell : workload["cells"].toArray()) {
      const QJsonValue value = cell[member];
      if (value.isObject() && value["value"].isDouble()) out[utf8(cell["cell"].toString())] = value["value"].toDouble();
    }
  }
  return out;
}

ViewState first_campaign() {
  ViewState out;
  out.campaign = "@1";
  return out;
}

std::vector<std::string> page_ids() {
  std::vector<std::string> out;
  for (const PageRow& row : pages()) out.emplace_back(row.id);
  return out;
}

class EveryPage : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Pages, EveryPage, ::testing::ValuesIn(page_ids()), [](const auto& it) { return it.param; });

TEST_P(EveryPage, ShowsTheFixtureAndExportsWhatItShows) {
  Shown shown(GetParam(), fixture_store(), first_campaign());
  const std::vector<report::Table> tables = shown.page->tables();
  ASSERT_FALSE(tables.empty());
  EXPECT_FALSE(tables.front().rows.empty()) << shown.page->words().toStdString();
  Folder folder;
  for (const char* name : {"a.csv", "a.json", "a.txt"}) {
    write_tables(tables, folder.file(name));
    EXPECT_GT(std::filesystem::file_size(folder.file(name)), 50u) << name;
  }
}

TEST_P(EveryPage, SaysInWordsThatAStoreIsEmpty) {
  Folder folder;
  store::Store::open(folder.file(), store::OpenMode::create);
  Shown shown(GetParam(), folder.file());
  EXPECT_THAT(shown.page->words().toStdString(), HasSubstr("no campaign yet"));
}

TEST_P(EveryPage, OpensOnOneLaunchAndOnFailedOnesAndOnAnyName) {
  for (const bool fails : {false, true}) {
    snapshot::testing::Campaign one;
    const std::string name = "w\xC3\xA4rme-\xE6\x97\xA5\xE6\x9C\xAC\"'<b>&\n:tiny";
    store::LaunchRecord record = one.record(store::testing::cell(name, "sys\xFFtem", "serial"), 0, 2.0);
    if (fails) {
      record.launch.status = store::LaunchStatus::failed;
      record.launch.error_kind = "out_of_memory", record.launch.error_message = "asked 3 GiB\nof 1";
      record.series.clear();
    } else {
      std::get<std::vector<double>>(record.series[4].values).back() = std::nan("");
    }
    one.store.import_launch(record);
    Shown shown(GetParam(), one.folder.file());
    shown.page->grab();
    EXPECT_THAT(shown.page->words().toStdString(), Not(HasSubstr("internal"))) << fails;
  }
}

TEST_P(EveryPage, IsAPictureInEveryFormatAndTheme) {
  Folder folder;
  for (const char* name : {"p.png", "p.svg", "p.pdf"}) {
    Rendering picture;
    picture.store = fixture_store(), picture.view = first_campaign();
    picture.view.page = GetParam(), picture.file = folder.file(name);
    EXPECT_EQ(failure_of([&] { render(picture); }), "");
    EXPECT_GT(std::filesystem::file_size(picture.file), 2000u) << name;
  }
}

TEST_P(EveryPage, FitsBesideTheDocksOnASmallScreen) {
  ViewState view = first_campaign();
  view.options["launches.group"] = "cell", view.base = "gpt-austen:tiny reference pp2/1f1b:m=4 on threads";
  Shown shown(GetParam(), fixture_store(), view);
  EXPECT_LE(shown.page->minimumSizeHint().width(), 800) << "1280 less the lists of pages and of notes";
  EXPECT_LE(shown.page->minimumSizeHint().height(), 560);
}

TEST_P(EveryPage, HidesWithoutChangingAnotherNumber) {
  Shown all(GetParam(), fixture_store(), first_campaign());
  ViewState some = first_campaign();
  some.filter = "-system:pytorch";
  some.hidden = {"mlp-fashion:tiny reference dp2 on threads"};
  Shown filtered(GetParam(), fixture_store(), some);
  for (const report::Table& table : filtered.page->tables()) {
    for (const report::Column& one : table.columns) {
      const auto few = column(table, one.key);
      for (const report::Table& whole : all.page->tables()) {
        if (whole.title != table.title) continue;
        const auto many = column(whole, one.key);
        for (const auto& [cell, value] : few) {
          const auto found = many.find(cell);
          if (found == many.end() || std::isnan(value)) continue;
          EXPECT_EQ(found->second, value) << table.title << " " << one.key << " " << cell;
        }
      }
    }
  }
}

TEST(Pages, OverviewHasTheFiguresOfTheReport) {
  Shown shown("overview", fixture_store(), first_campaign());
  const QJsonObject report = lockstep_json({"report", "@1"}, fixture_store());
  std::map<std::string, double> tokens, samples;
  for (const report::Table& table : shown.page->tables()) {
    for (const auto& [cell, value] : column(table, "throughput_samples_per_s")) samples[cell] = value;
    for (const auto& [cell, value] : column(table, "throughput_tokens_per_s")) tokens[cell] = value;
  }
  std::map<std::string, double> expected = reported(report, "throughput_samples_per_s");
  EXPECT_FALSE(samples.empty());
  EXPECT_FALSE(tokens.empty());
  for (const auto& [cell, value] : samples) EXPECT_EQ(expected.at(cell), value) << cell;
  expected = reported(report, "throughput_tokens_per_s");
  for (const auto& [cell, value] : tokens) EXPECT_EQ(expected.at(cell), value) << cell;
}

TEST(Pages, OnePairHasNoInterval) {
  snapshot::testing::Campaign one;
  one.finished(store::testing::cell("w:tiny", "reference", "serial"), 0, 2.0);
  one.finished(store::testing::cell("w:tiny", "pytorch", "serial"), 0, 4.0);
  store::Store store = store::Store::open(one.folder.file(), store::OpenMode::read_only);
  std::string words;
  const Overview overview = load_overview(store, {});
  ASSERT_FALSE(overview.findings.empty());
  for (const Said& said : overview.findings.front()) words += said.text;
  EXPECT_THAT(words, HasSubstr("w:tiny 2.00x (one pair, no interval)"));
  EXPECT_EQ(load_comparison(store, {}).verdicts.rows.front().values[5].text, "2.000 (one pair, no interval)");
}

TEST(Pages, ASentenceOfTheOverviewOpensItsComparison) {
  store::Store store = store::Store::open(fixture_store(), store::OpenMode::read_only);
  const snapshot::CampaignSnapshot snapshot = snapshot::load(store, *store.campaign(1));
  const std::vector<snapshot::Comparison> comparisons = snapshot::comparisons(snapshot);
  int linked = 0;
  for (size_t i = 0; i < comparisons.size(); ++i) {
    const auto [a, b] = compared_sides(comparisons, {i}, 1);
    ViewState view = first_campaign();
    view.compare_a = a, view.compare_b = b;
    const Comparison page = load_comparison(store, view);
    ASSERT_NE(page.compared, nullptr) << a << " | " << b << ": " << page.words;
    const auto ratios = column(page.verdicts, "ratio");
    ASSERT_EQ(ratios.size(), 1u) << a << " | " << b;
    EXPECT_NEAR(ratios.begin()->second, comparisons[i].contrast.ratio.value, 1e-12) << "the sentence's own number";
    ++linked;
  }
  EXPECT_EQ(linked, 10);
}

TEST(Pages, ALinkOfASentenceIsOpenedByMouseAndByKeyboard) {
  Shown shown("overview", fixture_store(), first_campaign());
  std::vector<QLabel*> linked;
  for (QLabel* label : shown.page->findChildren<QLabel*>()) {
    if (label->text().contains("<a ")) linked.push_back(label);
  }
  ASSERT_EQ(linked.size(), 5u);
  QLabel* sentence = linked[0];
  EXPECT_THAT(sentence->text().toStdString(), HasSubstr("1 rank, reference against pytorch"));
  EXPECT_THAT(sentence->accessibleDescription().toStdString(), HasSubstr("Compare"));
  EXPECT_NE(sentence->focusPolicy() & Qt::TabFocus, 0);
  const std::string a = "@1/system:reference,strategy:serial", b = "@1/system:pytorch,strategy:serial";
  QTest::mouseClick(sentence, Qt::LeftButton, {}, {20, sentence->fontMetrics().height() / 2});
  EXPECT_EQ(shown.session.view().page, "compare");
  EXPECT_EQ(shown.session.view().compare_a, a);
  EXPECT_EQ(shown.session.view().compare_b, b);
  shown.session.undo();
  EXPECT_EQ(shown.session.view().page, "overview");
  linked[1]->window()->activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(linked[1]->window()));
  linked[1]->setFocus(Qt::TabFocusReason);
  QTest::keyClick(linked[1], Qt::Key_Tab);
  ASSERT_TRUE(linked[1]->hasFocus()) << "on its link";
  QTest::keyClick(linked[1], Qt::Key_Return);
  EXPECT_EQ(shown.session.view().page, "compare") << "Tab and Enter";
  EXPECT_EQ(shown.session.view().compare_b, "@1/system:reference,strategy:serial");
}

TEST(Pages, OverviewSaysHowManyLaunchesOfAnInterruptedCampaignWereNeverStarted) {
  const store::testing::Folder folder;
  store::Store store = store::Store::open(folder.file(), store::OpenMode::create);
  store::CampaignRow planned;
  planned.planned_launches = 180;
  const store::CampaignRow row = store.begin_campaign(planned);
  for (int i = 1; i <= 60; ++i) {
    store.import_launch(store::testing::record(row, i, store::testing::cell("w:tiny", "reference", "serial")));
  }
  store.end_campaign(row.id, store::CampaignStatus::interrupted, 0);
  Shown shown("overview", folder.file());
  std::string words;
  for (const QLabel* label : shown.page->findChildren<QLabel*>()) words += utf8(label->text()) + "\n";
  EXPECT_THAT(words, HasSubstr("120 of 180 launches were never started"));
}

TEST(Pages, CellsHaveTheFiguresOfTheReport) {
  ViewState view = first_campaign();
  view.options = {{"launches.group", "cell"}, {"launches.columns", "all"}};
  Shown shown("launches", fixture_store(), view);
  const report::Table table = shown.page->tables().front();
  const QJsonObject report = lockstep_json({"report", "@1"}, fixture_store());
  for (const char* key : {"step_s", "peak_memory_bytes", "efficiency_own_serial", "efficiency_copies"}) {
    const auto there = column(table, key);
    const auto expected = reported(report, key);
    EXPECT_FALSE(expected.empty()) << key;
    for (const auto& [cell, value] : expected) EXPECT_EQ(there.at(cell), value) << key << " " << cell;
  }
}

TEST(Pages, ScalingHasTheEfficienciesOfTheReport) {
  Shown shown("scaling", fixture_store(), first_campaign());
  const report::Table table = shown.page->tables().front();
  const auto expected = reported(lockstep_json({"report", "@1"}, fixture_store()), "efficiency_own_serial");
  const auto there = column(table, "efficiency_own_serial");
  EXPECT_GE(there.size(), 3u);
  for (const auto& [cell, value] : there) EXPECT_EQ(expected.at(cell), value) << cell;
  for (const auto& [cell, fraction] : column(table, "karp_flatt")) {
    const int64_t ranks = cell.find("dp4") != std::string::npos ? 4 : 2;
    EXPECT_NEAR(fraction, karp_flatt(expected.at(cell) * static_cast<double>(ranks), ranks), 1e-12);
  }
}

TEST(Pages, AnImportedStoreHasProofsAndWhatTheSystemsClaim) {
  store::Store store = store::Store::open(fixture_store(), store::OpenMode::read_only);
  for (const char* cell : {"gpt-austen:tiny reference dp2 on threads", "gpt-austen:tiny pytorch dp2 on gloo"}) {
    ASSERT_FALSE(store.proofs(cell, "").empty()) << cell;
    EXPECT_EQ(store.proofs(cell, "").front().state, store::ProofState::held) << cell;
  }
  const std::vector<SystemAnswers> systems = system_answers(store);
  ASSERT_EQ(systems.size(), 2u);
  EXPECT_EQ(words_of(systems[1].terms.at("dp")), "works: torch.nn.parallel.DistributedDataParallel");
  EXPECT_THAT(words_of(systems[1].terms.at("pp")), HasSubstr("pytorch does not claim it"));
}

TEST(Pages, CompareHasTheVerdictsOfCompare) {
  Shown shown("compare", fixture_store(), first_campaign());
  const report::Table table = shown.page->tables().front();
  const QJsonObject compared = lockstep_json({"compare", "@1/system:reference", "@1/system:pytorch"}, fixture_store());
  std::map<std::string, std::pair<double, QString>> expected;
  for (const QJsonValue& verdict : compared["verdicts"].toArray()) {
    const QString b = verdict["cell_b"].toString();
    expected[utf8(verdict["metric"].toString() + ": " + verdict["cell"].toString() + (b.isEmpty() ? "" : " / " + b))] =
        {verdict["ratio"].toDouble(std::nan("")), verdict["verdict"].toString()};
  }
  ASSERT_EQ(expected.size(), table.rows.size());
  const auto ratios = column(table, "ratio");
  for (const report::Row& row : table.rows) {
    ASSERT_EQ(expected.count(row.cell), 1u) << row.cell;
    const auto& [ratio, word] = expected[row.cell];
    const std::string shown = word == "faster" ? "A faster" : word == "slower" ? "B faster" : utf8(word);
    EXPECT_EQ(row.values[4].text, shown) << row.cell;
    if (ratios.count(row.cell) != 0) {
      EXPECT_EQ(ratios.at(row.cell), ratio) << row.cell;
    }
  }
}

TEST(Pages, CompareNamesWhoIsFasterWhicheverSideItIs) {
  store::Store store = store::Store::open(fixture_store(), store::OpenMode::read_only);
  ViewState view = first_campaign();
  view.compare_a = "@1/system:reference", view.compare_b = "@1/system:pytorch";
  EXPECT_EQ(load_comparison(store, view).verdict, "A (reference) faster in 4 of 4");
  std::swap(view.compare_a, view.compare_b);
  const Comparison swapped = load_comparison(store, view);
  EXPECT_EQ(swapped.verdict, "B (reference) faster in 4 of 4");
  for (const report::Row& row : swapped.verdicts.rows) EXPECT_EQ(row.values[4].text, "B faster");
  view.compare_a = view.compare_b = "@1/system:reference";
  EXPECT_THAT(load_comparison(store, view).verdict, testing::StartsWith("B (@1/system:reference) against A ("));
}

TEST(Pages, AnotherVerdictIsShownWithoutComparingAgain) {
  snapshot::testing::Campaign one;
  for (int i = 0; i < 4; ++i) {
    one.finished(store::testing::cell("w:tiny", "reference", "serial"), i, 2.0 + 0.01 * i);
    one.finished(store::testing::cell("w:tiny", "pytorch", "serial"), i, 3.0 + 0.01 * i);
  }
  store::Store reader = store::Store::open(one.folder.file(), store::OpenMode::read_only);
  ViewState view;
  const Comparison first = load_comparison(reader, view);
  ASSERT_NE(first.compared, nullptr) << first.words;
  view.options["compare.verdict"] = first.verdicts.rows.back().cell;
  const Comparison second = load_comparison(reader, view, first.compared);
  EXPECT_EQ(second.compared, first.compared);
  EXPECT_EQ(second.chosen, first.verdicts.rows.back().cell);
  ViewState swapped = view;
  swapped.compare_a = first.b, swapped.compare_b = first.a;
  EXPECT_NE(load_comparison(reader, swapped, first.compared).compared, first.compared);
  one.finished(store::testing::cell("w:tiny", "pytorch", "serial"), 4, 30.0);
  EXPECT_NE(load_comparison(reader, view, first.compared).compared, first.compared) << "the store has changed";
}

TEST(Pages, StatisticalEfficiencyFindsTheTarget) {
  ViewState view;
  view.campaign = "@2";
  Shown shown("convergence", fixture_store(), view);
  ASSERT_EQ(shown.page->tables().size(), 2u) << shown.page->words().toStdString();
  const report::Table times = shown.page->tables()[1];
  EXPECT_THAT(times.title, HasSubstr("test_accuracy at least 0.97"));
  EXPECT_EQ(times.rows.size(), 3u);
  EXPECT_EQ(times.rows[0].values[3].missing, "");
  EXPECT_LE(times.rows[0].values[3].estimate.value, 2280);
  EXPECT_GE(times.rows[0].values[7].estimate.value, 0.97);
}

TEST(Pages, ANewLaunchAppearsWithoutBeingAskedFor) {
  snapshot::testing::Campaign live;
  live.finished(store::testing::cell("w:tiny", "reference", "serial"), 0, 2.0);
  Shown shown("launches", live.folder.file());
  EXPECT_EQ(shown.page->tables().front().rows.size(), 1u);
  shown.loader.look();
  live.finished(store::testing::cell("w:tiny", "reference", "serial"), 1, 2.1);
  EXPECT_TRUE(QTest::qWaitFor(
      [&] {
        shown.loader.look();
        return shown.page->tables().front().rows.size() == 2;
      },
      5000));
}

TEST(Pages, OfManyLaunchesTheFirstRowsAreThereAtOnceAndEveryFigureAtLast) {
  snapshot::testing::Campaign many;
  constexpr size_t kCount = kReadAtOnce + 20;
  for (size_t i = 0; i < kCount; ++i) {
    many.finished(store::testing::cell("w:tiny", "reference", "serial"), static_cast<int64_t>(i), 2.0);
  }
  store::Store reader = store::Store::open(many.folder.file(), store::OpenMode::read_only);
  const Launches first = load_launches(reader, {}, Reading::first_rows);
  EXPECT_EQ(first.all->size(), kReadAtOnce);
  EXPECT_TRUE(first.rows_missing);
  const Launches all = load_launches(reader, {}, Reading::all_rows);
  EXPECT_EQ(all.all->size(), kCount);
  EXPECT_TRUE(all.figures_missing);
  ViewState view;
  view.options["launches.columns"] = "all";
  Shown shown("launches", many.folder.file(), view);
  const report::Table table = shown.page->tables().front();
  EXPECT_EQ(table.rows.size(), kCount);
  size_t read = 0;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key != "step_s") continue;
    for (const report::Row& row : table.rows) read += row.values[i].missing.empty() ? 1 : 0;
  }
  EXPECT_EQ(read, kCount) << "the page is ready when the figures have been read";
}

TEST(Pages, AChosenLaunchIsToldInFull) {
  Shown shown("launches", fixture_store(), first_campaign());
  auto* table = shown.page->findChild<TableView*>();
  ASSERT_NE(table, nullptr);
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(2, 0)).center());
  EXPECT_EQ(shown.session.view().launch, "@1.3");
  QTest::keyClick(table, Qt::Key_Down);
  EXPECT_EQ(shown.session.view().launch, "@1.4");
  ASSERT_TRUE(shown.wait());
  shown.session.undo();
  EXPECT_EQ(table->currentIndex().row(), 2);
}

TEST(Pages, TwoTimelinesShowSeveralRowsEachOnASmallScreen) {
  ViewState view;
  view.campaign = "@4", view.launch = "@4.7", view.options["timeline.other"] = "@4.6";
  Shown shown("timeline", fixture_store(), view,
              {1100, 630});  // a window of 1280x720 less its bars and its list of pages
  QTest::qWait(20);
  int views = 0;
  for (const TimelineView* timeline : shown.page->findChildren<TimelineView*>()) {
    ++views;
    size_t seen = 0;
    for (size_t i = 0; i < timeline->layout_of_lines().lines.size(); ++i) {
      const QPoint at = timeline->pixel_of(timeline->range().begin_ns, static_cast<int>(i));
      seen += timeline->rect().contains(at) ? 1 : 0;
    }
    EXPECT_GE(seen, 4u) << "all of a rank: " << timeline->accessibleName().toStdString();
  }
  EXPECT_EQ(views, 2);
}

TEST(Pages, RatiosToAPinnedBaseStandInTheTable) {
  ViewState view = first_campaign();
  view.options = {{"launches.group", "cell"}, {"launches.columns", "all"}};
  view.base = "gpt-austen:tiny reference serial";
  Shown shown("launches", fixture_store(), view);
  const auto ratios = column(shown.page->tables().front(), "step_s_ratio");
  EXPECT_EQ(ratios.count("gpt-austen:tiny reference dp2 on threads"), 1u);
  EXPECT_EQ(ratios.count("gpt-austen:tiny reference serial"), 0u);
  EXPECT_EQ(ratios.count("mlp-fashion:tiny reference serial"), 0u);
}

std::string rendering_failure(const std::string& store, const std::string& page = "overview",
                              const char* out = "x.png") {
  Folder folder;
  Rendering picture;
  picture.store = store, picture.view.page = page, picture.file = folder.file(out);
  return failure_of([&] { render(picture); });
}

TEST(Render, RefusesWhatItCannotShowInWords) {
  Folder folder;
  EXPECT_THAT(rendering_failure(folder.file("none.db")), HasSubstr("no results store here"));
  std::ofstream(folder.file("text.db")) << std::string(5000, 'x');
  EXPECT_THAT(rendering_failure(folder.file("text.db")), HasSubstr("not a database"));
  EXPECT_THAT(rendering_failure(fixture_store(), "tea"), HasSubstr("one of overview, launches"));
  EXPECT_THAT(rendering_failure(fixture_store(), "overview", "x.bmp"), HasSubstr(".png .svg .pdf"));
  std::filesystem::copy_file(fixture_store(), folder.file("newer.db"));
  SQLite::Database(folder.file("newer.db"), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  EXPECT_THAT(rendering_failure(folder.file("newer.db")), HasSubstr("99"));
}

TEST(Render, ATruncatedStoreIsSaidAndNothingCrashes) {
  Folder folder;
  std::filesystem::copy_file(fixture_store(), folder.file("cut.db"));
  std::filesystem::resize_file(folder.file("cut.db"), std::filesystem::file_size(folder.file("cut.db")) / 2);
  const std::string at_the_door = rendering_failure(folder.file("cut.db"));
  if (at_the_door.empty()) {
    Shown shown("overview", folder.file("cut.db"));
    EXPECT_THAT(shown.page->words().toStdString(), HasSubstr("damaged"));
  } else {
    EXPECT_THAT(at_the_door, HasSubstr("damaged"));
  }
}

TEST(Render, NeverWritesToTheStore) {
  Folder folder;
  std::filesystem::copy_file(fixture_store(), folder.file());
  const auto bytes = [&] {
    std::ifstream in(folder.file(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string before = bytes();
  EXPECT_EQ(rendering_failure(folder.file()), "");
  EXPECT_TRUE(bytes() == before);
}

}  // namespace
}  // namespace lockstep::gui
