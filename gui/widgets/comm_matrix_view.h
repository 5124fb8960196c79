#pragma once

#include <QWidget>
#include <cstdint>

#include "gui/core/timeline/comm_matrix.h"

namespace lockstep::gui {

/// Paints who sends to whom: a row a sender, a column a receiver, darker (in dark: lighter) for more. The numbers are
/// in the tooltip, in the accessible description of the cell that the arrow keys are on, and in a table beside it.
class CommMatrixView : public QWidget {
  Q_OBJECT
 public:
  enum class Shows : uint8_t { bytes, time };

  explicit CommMatrixView(QWidget* parent = nullptr);

  void set_matrix(timeline::CommMatrix matrix, Shows shows);
  const timeline::CommMatrix& matrix() const { return matrix_; }
  /// Where a cell is painted, in pixels of this widget.
  QRect cell_rect(size_t from, size_t to) const;
  /// "rank 0 to rank 1: ..." of the cell that the keyboard is on.
  QString focused_words() const;

  QSize minimumSizeHint() const override { return {180, 120}; }
  QSize sizeHint() const override { return {280, 260}; }

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  double value(size_t from, size_t to) const;
  double greatest() const;
  QRect square() const;
  int labels_px() const;
  void paint_cells(QPainter& painter);
  void paint_labels(QPainter& painter);
  void focus(int from, int to);
  bool cell_at(const QPoint& at, size_t& from, size_t& to) const;

  timeline::CommMatrix matrix_;
  Shows shows_ = Shows::bytes;
  int from_ = 0, to_ = 0;  ///< where the keyboard is
};

}  // namespace lockstep::gui
