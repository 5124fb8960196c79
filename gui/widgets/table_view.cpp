#include "gui/widgets/table_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>

#include "gui/core/text.h"
#include "gui/widgets/export.h"

namespace lockstep::gui {

namespace {
constexpr int kWidestColumn = 420;
constexpr int kMeasuredRows = 200;  // columns are as wide as the first rows need: a table may have 10^5
}  // namespace

TableView::TableView(QWidget* parent) : QTableView(parent) {
  setModel(&rows_);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setWordWrap(false);
  setSortingEnabled(true);
  setTabKeyNavigation(false);
  sortByColumn(-1, Qt::AscendingOrder);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);  // never asks 10^5 rows for their height
  horizontalHeader()->setResizeContentsPrecision(kMeasuredRows);
  horizontalHeader()->setSectionsMovable(true);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(horizontalHeader(), &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    show_menu(horizontalHeader()->mapToGlobal(at), horizontalHeader()->logicalIndexAt(at), -1);
  });
  setHorizontalScrollMode(ScrollPerPixel);
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (!quiet_ && now.isValid()) Q_EMIT chosen(now.data(TableModel::kKey).toString());
  });
  connect(this, &QTableView::activated, this,
          [this](const QModelIndex& index) { Q_EMIT opened(index.data(TableModel::kKey).toString()); });
}

void TableView::set_rows(std::shared_ptr<const Rows> rows) {
  const int across = horizontalScrollBar()->value(), down = verticalScrollBar()->value();
  const QString current = currentIndex().data(TableModel::kKey).toString();
  const int top = rowAt(0);
  const QString seen = top >= 0 ? rows_.index(top, 0).data(TableModel::kKey).toString() : QString();
  setAccessibleName(qt(rows->title()));
  rows_.set_rows(std::move(rows));
  std::vector<QString> heads;
  for (int i = 0; i < rows_.columnCount(); ++i)
    heads.push_back(rows_.headerData(i, Qt::Horizontal, Qt::DisplayRole).toString());
  if (heads != heads_) {
    heads_ = heads;
    resizeColumnsToContents();
    for (int i = 0; i < rows_.columnCount(); ++i) setColumnWidth(i, std::min(columnWidth(i) + 10, kWidestColumn));
  }
  choose(utf8(current));
  // What is looked at stays, whatever has been inserted above it. The bar counts rows.
  const int now = seen.isEmpty() ? -1 : rows_.row_of(utf8(seen));
  updateGeometries();
  horizontalScrollBar()->setValue(across), verticalScrollBar()->setValue(now < 0 ? down : down + now - top);
}

void TableView::choose(const std::string& key) {
  const int row = key.empty() ? -1 : rows_.row_of(key);
  if (row < 0 || row == currentIndex().row()) return;
  quiet_ = true;
  setCurrentIndex(rows_.index(row, std::max(0, currentIndex().column())));
  quiet_ = false;
}

void TableView::fit_height() {
  const int rows = rows_.rowCount() * verticalHeader()->defaultSectionSize();
  setFixedHeight(rows + horizontalHeader()->sizeHint().height() + horizontalScrollBar()->sizeHint().height() + 4);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

// What is selected, with its heads, as spreadsheets take it.
void TableView::copy() const {
  QString text;
  for (int i = 0; i < rows_.columnCount(); ++i) text += (i > 0 ? "\t" : "") + heads_[static_cast<size_t>(i)];
  for (const QModelIndex& row : selectionModel()->selectedRows()) {
    text += "\n";
    for (int i = 0; i < rows_.columnCount(); ++i) {
      QString field = row.siblingAtColumn(i).data().toString();
      field.replace('\t', ' ').replace('\n', ' ');
      text += (i > 0 ? "\t" : "") + field;
    }
  }
  QApplication::clipboard()->setText(text + "\n");
}

void TableView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return copy();
  QTableView::keyPressEvent(event);
}

QItemSelectionModel::SelectionFlags TableView::selectionCommand(const QModelIndex& index, const QEvent* event) const {
  if (event != nullptr && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<const QKeyEvent*>(event);
    if ((key->key() == Qt::Key_Home || key->key() == Qt::Key_End) && key->modifiers() == Qt::ControlModifier) {
      return QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows;
    }
  }
  return QTableView::selectionCommand(index, event);
}

void TableView::contextMenuEvent(QContextMenuEvent* event) {
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const QModelIndex at = by_key ? currentIndex() : indexAt(event->pos());
  const QPoint global = by_key ? viewport()->mapToGlobal(visualRect(at).bottomLeft()) : event->globalPos();
  show_menu(global, at.column(), at.row());
}

void TableView::show_menu(const QPoint& global, int column, int row) {
  QMenu menu(this);
  menu.addAction("Copy rows", this, &TableView::copy);
  menu.addAction("Save table...", this, [this] { save_tables(this, {rows_.shown()}, qt(rows_.rows().title())); });
  Q_EMIT menu_wanted(&menu, column, row);
  menu.exec(global);
}

}  // namespace lockstep::gui
