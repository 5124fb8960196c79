#include "gui/widgets/timeline_tables.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "gui/core/column_choice.h"
#include "gui/core/text.h"
#include "gui/widgets/choice.h"
#include "gui/widgets/comm_matrix_view.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/table_heads.h"
#include "gui/widgets/table_view.h"

namespace lockstep::gui {
namespace {

constexpr const char *kMatrixOf = "timeline.matrix", *kTab = "timeline.tab", *kMatrixTab = "matrix";

}  // namespace

TimelineTables::TimelineTables(Session& session)
    : session_(session),
      totals_(new TableView),
      diff_(new TableView),
      pairs_(new TableView),
      heads_(new TableHeads(*totals_, session, "timeline.columns", kAllColumns, TableHeads::Filter::none)),
      matrix_(new CommMatrixView),
      shows_(new Choice(session, kMatrixOf, "C&olour is", {{"bytes", "bytes"}, {"time", "time"}})),
      words_(text_label({})),
      about_(text_label({})),
      matrix_tab_(matrix_part(session)) {
  diff_->setParent(this), diff_->hide();  // without a tab it belongs to nobody else
  about_->setParent(this), about_->hide();
  about_->setAlignment(Qt::AlignTop);
  addTab(totals_, "Activities by name");
  addTab(matrix_tab_, "&Who sends to whom");
  if (session.view().option(kTab, "") == kMatrixTab) setCurrentWidget(matrix_tab_);
  connect(totals_, &TableView::opened, this, &TimelineTables::opened);
  connect(&session, &Session::changed, this, [this](const ViewState& before) {
    const ViewState& now = session_.view();
    if (before.option(kMatrixOf, "") != now.option(kMatrixOf, "")) paint_matrix();
    const std::string tab = now.option(kTab, "");
    if (before.option(kTab, "") == tab) return;
    setCurrentWidget(tab == kMatrixTab ? matrix_tab_ : totals_);
  });
  connect(this, &QTabWidget::tabBarClicked, this, [this](int index) {
    const bool matrix = widget(index) == matrix_tab_;
    session_.change([&](ViewState& view) { view.options[kTab] = matrix ? kMatrixTab : ""; });
  });
}

QWidget* TimelineTables::matrix_part(Session&) {
  auto* out = new QWidget;
  auto* row = new QHBoxLayout(out);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(matrix_, 2);
  auto* right = new QVBoxLayout;
  right->addWidget(shows_, 0, Qt::AlignLeft);
  right->addWidget(words_);
  right->addWidget(pairs_, 1);
  row->addLayout(right, 3);
  return out;
}

void TimelineTables::set_totals(const report::Table& table, const QString& title) {
  heads_->set_rows(std::make_shared<TableRows>(table));
  setTabText(indexOf(totals_), title);
}

void TimelineTables::set_diff(const std::optional<report::Table>& table) {
  const int shown = indexOf(diff_);
  if (!table && shown >= 0) removeTab(shown);
  diff_->setVisible(table.has_value());
  diff_->set_table(table.value_or(report::Table{}));
  if (!table || shown >= 0) return;
  insertTab(1, diff_, "Difference by name");
  if (!shows_matrix()) setCurrentWidget(diff_);
}

void TimelineTables::set_matrix(const timeline::CommMatrix& matrix) {
  pairs_->set_table(timeline::matrix_table(matrix));
  QStringList lines;
  for (const std::string& line : matrix.words) lines << qt(line);
  words_->setText(lines.join(" "));
  matrix_->set_matrix(matrix, shows_->value() == "time" ? CommMatrixView::Shows::time : CommMatrixView::Shows::bytes);
}

void TimelineTables::set_about(const QString& text) {
  about_->setText(text);
  const int shown = indexOf(about_);
  if (text.isEmpty() && shown >= 0) removeTab(shown);
  if (!text.isEmpty() && shown < 0) addTab(about_, "Abou&t the recordings");
}

void TimelineTables::paint_matrix() { set_matrix(timeline::CommMatrix(matrix_->matrix())); }

bool TimelineTables::shows_matrix() const { return currentWidget() == matrix_tab_; }

std::vector<report::Table> TimelineTables::tables() const {
  std::vector<report::Table> out{totals_->shown().shown()};
  if (indexOf(diff_) >= 0) out.push_back(diff_->shown().shown());
  if (!pairs_->shown().rows().columns().empty()) out.push_back(pairs_->shown().shown());
  return out;
}

}  // namespace lockstep::gui
