#pragma once

#include <QPixmap>
#include <QWidget>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gui/core/timeline/flows.h"
#include "gui/core/timeline/layout.h"
#include "gui/core/timeline/load.h"
#include "gui/core/timeline/neighbours.h"
#include "gui/core/timeline/totals.h"
#include "gui/widgets/key_row.h"

class QScrollBar;

namespace lockstep::gui {

/// Paints a launch's timeline: an overview strip, a ruler, a group of lines a rank. By mouse or by keyboard alone (see
/// keys()). It tells what a person wants, and shows it at once; whoever owns it may set something else.
class TimelineView : public QWidget {
  Q_OBJECT
 public:
  explicit TimelineView(QWidget* parent = nullptr);

  void set_launch(std::shared_ptr<const timeline::Launch> launch);
  void set_choices(const timeline::RowChoices& choices);
  void set_range(const timeline::Range& range);
  void set_area(const std::optional<timeline::Area>& area);
  void select(std::optional<uint32_t> activity);
  /// Selects it, and moves to it where it is out of sight.
  void reveal(uint32_t activity);
  /// At least so many pixels for names, so that the times of two views are above each other.
  void set_least_names_width(int px);
  int names_width() const { return names_width_; }
  /// Whether the whole recording is painted above: below another view, which has the strip, there is more room for
  /// rows.
  void set_has_strip(bool has);

  const timeline::Range& range() const { return view_.time; }
  timeline::Range whole() const;
  const std::optional<timeline::Area>& area() const { return area_; }
  std::optional<uint32_t> selected() const { return selected_; }
  const timeline::Layout& layout_of_lines() const { return layout_; }
  int focused_line() const { return focused_; }

  /// In pixels of this widget: the middle of where an activity of a line is painted. What tests rely on.
  QPoint pixel_of(double ns, int line) const;

  static std::span<const KeyRow> keys();

  QSize minimumSizeHint() const override { return {420, 160}; }
  QSize sizeHint() const override;

 Q_SIGNALS:
  void range_wanted(const lockstep::gui::timeline::Range& range);
  /// Nothing: the area is gone.
  void area_wanted(const std::optional<lockstep::gui::timeline::Area>& area);
  void selection_changed();
  void collapse_wanted(int rank);
  void pin_wanted(int rank);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum class Drag : uint8_t { none, pan, area, strip };

  int ruler_top() const;
  int head_px() const;  ///< above the lines
  QRect strip_rect() const;
  QRect ruler_rect() const;
  QRect names_rect() const;
  QRect lines_rect() const;

  void lay_out_lines();
  void place();   ///< sizes, scroll range
  void redraw();  ///< boxes and flows anew
  void place_flows();
  void paint_whole();
  void want_range(const timeline::Range& range);
  void want_area(std::optional<timeline::Area> area);
  timeline::Area area_between(double begin_ns, double end_ns, int first_line, int last_line) const;
  void scroll_to_line(int line);
  void focus_line(int line);
  void step_selection(std::optional<uint32_t> (*step)(const timeline::Columns&, uint32_t, timeline::Direction),
                      timeline::Direction direction);
  bool pan_or_zoom(const QKeyEvent& event);
  bool extend_area(const QKeyEvent& event);
  bool act_on_selection(const QKeyEvent& event);
  bool move_focus(const QKeyEvent& event);
  bool clear();
  std::optional<timeline::Box> box_under(const QPoint& position) const;
  int line_under(const QPoint& position) const;
  /// The line that shows the activity; -1: none does.
  int line_of(uint32_t activity) const;
  void tell(const QPoint& position, const QPoint& global);

  std::shared_ptr<const timeline::Launch> launch_;
  timeline::RowChoices choices_;
  timeline::Layout layout_;
  timeline::View view_;
  std::vector<timeline::Box> boxes_;
  std::vector<timeline::FlowLine> flows_;
  QPixmap strip_;  ///< of everything; null: to be painted anew
  std::optional<timeline::Area> area_;
  std::optional<uint32_t> selected_;
  int focused_ = -1;
  int area_from_ = -1, area_to_ = -1;  ///< lines between which the keyboard's area lies
  int names_width_ = 120, least_names_width_ = 0;
  bool has_strip_ = true;
  QScrollBar* bar_;

  Drag drag_ = Drag::none;
  bool dragged_ = false;
  QPoint pressed_;
  timeline::Range pressed_range_;
  int pressed_scroll_ = 0;
};

}  // namespace lockstep::gui
