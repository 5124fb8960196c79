#pragma once

#include <QWidget>
#include <optional>

#include "gui/core/schedule_geometry.h"

namespace lockstep::gui {

/// Paints a pipeline schedule: a row a rank, time to the right, a box an action with its letter and microbatch, hatched
/// where a rank is idle. Drag pans, the wheel zooms once the view has been clicked; arrow keys go from box to box.
class ScheduleView : public QWidget {
  Q_OBJECT
 public:
  explicit ScheduleView(QWidget* parent = nullptr);

  /// The same schedule keeps its chosen box.
  void set_picture(SchedulePicture picture);
  const SchedulePicture& picture() const { return picture_; }
  /// The shown time; equal bounds: all of it.
  void set_span(double from, double to);

  /// Where everything is painted now, in pixels of this widget.
  ScheduleGeometry geometry_now() const;
  std::optional<size_t> chosen() const { return chosen_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {320, sizeHint().height()}; }

 Q_SIGNALS:
  /// Another part of the time is wanted, of a zoom or a drag; equal bounds: all.
  void span_wanted(double from, double to);
  /// A box was pointed at or chosen: what it is, in one line; empty: none.
  void told(const QString& words);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  int head() const;  ///< pixels above the rows: the legend
  int foot() const;  ///< below: the axis of time
  int names() const;
  void paint_legend(QPainter& painter) const;
  void paint_rows(QPainter& painter, const ScheduleGeometry& at) const;
  void paint_box(QPainter& painter, const ScheduleGeometry& at, size_t index, double& painted_to) const;
  QString label_within(const ScheduleBox& box, const QSizeF& size) const;
  void paint_axis(QPainter& painter, const ScheduleGeometry& at) const;
  void choose(std::optional<size_t> box);
  void zoom(double factor, double around);
  void pan(double by);

  SchedulePicture picture_;
  double from_ = 0, to_ = 0;
  std::optional<size_t> chosen_;
  double grabbed_ = 0;  ///< time under the pointer where a drag began
};

}  // namespace lockstep::gui
