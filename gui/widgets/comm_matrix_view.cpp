#include "gui/widgets/comm_matrix_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/core/text.h"
#include "gui/core/timeline/geometry.h"
#include "gui/widgets/theme.h"

namespace lockstep::gui {
namespace {

constexpr int kHeadPx = 22, kGapPx = 6;

/// The background at 0, the accent at 1.
QColor blend(double share) {
  const QColor accent = accent_color(), back = background_color();
  const auto between = [&](int a, int b) { return static_cast<int>(std::lround(b + share * (a - b))); };
  return {between(accent.red(), back.red()), between(accent.green(), back.green()),
          between(accent.blue(), back.blue())};
}

}  // namespace

CommMatrixView::CommMatrixView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName("Who sends to whom");
}

void CommMatrixView::set_matrix(timeline::CommMatrix matrix, Shows shows) {
  matrix_ = std::move(matrix), shows_ = shows;
  const int last = std::max(0, static_cast<int>(matrix_.ranks.size()) - 1);
  focus(std::min(from_, last), std::min(to_, last));
}

double CommMatrixView::value(size_t from, size_t to) const {
  const timeline::CommMatrix::Cell& cell = matrix_.at(from, to);
  return static_cast<double>(shows_ == Shows::bytes ? cell.bytes : cell.time_ns);
}

double CommMatrixView::greatest() const {
  double out = 0;
  for (size_t i = 0; i < matrix_.cells.size(); ++i) {
    out = std::max(out, value(i / matrix_.ranks.size(), i % matrix_.ranks.size()));
  }
  return out;
}

int CommMatrixView::labels_px() const {
  const int widest = matrix_.ranks.empty() ? 0 : matrix_.ranks.back();
  return fontMetrics().horizontalAdvance(QString::number(widest)) + fontMetrics().height() + 2 * kGapPx;
}

QRect CommMatrixView::square() const {
  const int left = labels_px(), top = kHeadPx + fontMetrics().height();
  const auto n = std::max(1, static_cast<int>(matrix_.ranks.size()));
  const int side = std::max(1, std::min({width() - left - kGapPx, height() - top - kHeadPx, 48 * n}) / n) * n;
  return {left, top, side, side};
}

QRect CommMatrixView::cell_rect(size_t from, size_t to) const {
  const QRect all = square();
  const int side = all.width() / std::max(1, static_cast<int>(matrix_.ranks.size()));
  return {all.left() + static_cast<int>(to) * side, all.top() + static_cast<int>(from) * side, side, side};
}

bool CommMatrixView::cell_at(const QPoint& at, size_t& from, size_t& to) const {
  const QRect all = square();
  if (matrix_.ranks.empty() || !all.contains(at)) return false;
  const int side = cell_rect(0, 0).width();
  from = static_cast<size_t>((at.y() - all.top()) / side), to = static_cast<size_t>((at.x() - all.left()) / side);
  return from < matrix_.ranks.size() && to < matrix_.ranks.size();
}

QString CommMatrixView::focused_words() const {
  if (matrix_.ranks.empty()) return "Nothing is shown";
  return qt(timeline::cell_words(matrix_, static_cast<size_t>(from_), static_cast<size_t>(to_)));
}

void CommMatrixView::focus(int from, int to) {
  from_ = from, to_ = to;
  setAccessibleDescription(focused_words());
  update();
}

void CommMatrixView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), background_color());
  if (matrix_.ranks.empty()) return;
  paint_cells(painter);
  paint_labels(painter);
}

void CommMatrixView::paint_cells(QPainter& painter) {
  const double most = greatest();
  for (size_t from = 0; from < matrix_.ranks.size(); ++from) {
    for (size_t to = 0; to < matrix_.ranks.size(); ++to) {
      const QRect rect = cell_rect(from, to);
      const double share = most > 0 ? value(from, to) / most : 0;
      // What has sent anything is told apart from what has not.
      if (matrix_.at(from, to).messages > 0) {
        painter.fillRect(rect, blend(0.15 + 0.85 * share));
      }
      if (rect.width() < 3) continue;
      painter.setPen(grid_color());
      painter.drawRect(rect.adjusted(0, 0, -1, -1));
    }
  }
  if (!hasFocus()) return;
  painter.setPen(QPen(text_color(), 2));
  painter.drawRect(cell_rect(static_cast<size_t>(from_), static_cast<size_t>(to_)).adjusted(0, 0, -1, -1));
}

void CommMatrixView::paint_labels(QPainter& painter) {
  const QRect all = square();
  const QFontMetrics metrics = painter.fontMetrics();
  const int side = cell_rect(0, 0).width();
  const int widest = metrics.horizontalAdvance(QString::number(matrix_.ranks.back())) + 4;
  const size_t across = static_cast<size_t>((widest + side - 1) / side);
  const auto down = static_cast<size_t>((metrics.height() + side - 1) / side);
  painter.setPen(text_color());
  for (size_t i = 0; i < matrix_.ranks.size(); ++i) {
    const QString rank = QString::number(matrix_.ranks[i]);
    const QRect column = cell_rect(0, i), row = cell_rect(i, 0);
    if (i % across == 0) {
      painter.drawText(QRect(column.left(), all.top() - metrics.height(), std::max(side, widest), metrics.height()),
                       Qt::AlignHCenter | Qt::AlignBottom, rank);
    }
    if (i % down == 0) {
      painter.drawText(QRect(0, row.top(), all.left() - kGapPx / 2, std::max(side, metrics.height())),
                       Qt::AlignRight | (side < metrics.height() ? Qt::AlignTop : Qt::AlignVCenter), rank);
    }
  }
  painter.setPen(quiet_text_color());
  painter.drawText(QRect(all.left(), 0, std::max(all.width(), width() - all.left()), kHeadPx), Qt::AlignVCenter,
                   "to rank");
  painter.save();
  painter.translate(0, all.bottom());
  painter.rotate(-90);
  painter.drawText(QRect(0, 0, std::max(all.height(), metrics.horizontalAdvance("from rank")), metrics.height()),
                   Qt::AlignCenter, "from rank");
  painter.restore();
  const auto most = greatest();
  const QString scale =
      qt(shows_ == Shows::time ? timeline::length_text(most) : timeline::bytes_text(static_cast<int64_t>(most)));
  painter.drawText(QRect(all.left(), all.bottom() + 2, width() - all.left(), kHeadPx), Qt::AlignVCenter,
                   most > 0          ? "full colour: " + scale
                   : matrix_.empty() ? QString("nothing was sent")
                                     : QString("planned without time"));
}

bool CommMatrixView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  size_t from = 0, to = 0;
  if (cell_at(help->pos(), from, to)) {
    QToolTip::showText(help->globalPos(), qt(timeline::cell_words(matrix_, from, to)), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

void CommMatrixView::mousePressEvent(QMouseEvent* event) {
  size_t from = 0, to = 0;
  if (cell_at(event->pos(), from, to)) focus(static_cast<int>(from), static_cast<int>(to));
}

void CommMatrixView::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const int down = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
  const int right = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
  if ((down == 0 && right == 0) || matrix_.ranks.empty()) return QWidget::keyPressEvent(event);
  const int last = static_cast<int>(matrix_.ranks.size()) - 1;
  focus(std::clamp(from_ + down, 0, last), std::clamp(to_ + right, 0, last));
}

}  // namespace lockstep::gui
