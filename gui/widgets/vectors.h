#pragma once

class QPainter;
class QWidget;

namespace lockstep::gui {

/// Paints a widget with all that is in it as vectors, each cut to where its window shows it. Qt's own devices of
/// vectors do not cut: PDF knows nothing of the edges of widgets, SVG (Qt 6.4) of no clip at all, so that the columns
/// of a table that are out of sight would be painted over what is beside it. Text that is cut becomes outlines; clips
/// count as their bounding rectangles. `target` is at 96 dots per inch and not scaled: one unit is one pixel of the
/// widget.
void paint_vectors(QWidget& widget, QPainter& target);

}  // namespace lockstep::gui
