#include "gui/widgets/timeline_flows.h"

#include <cmath>

#include "gui/widgets/theme.h"

namespace lockstep::gui {
namespace {

constexpr double kHeadLengthPx = 8, kHeadHalfPx = 3.5;
constexpr double kFarAway = 1e5;  // of a painter's pixels: beyond, lines are drawn wrongly

bool is_paintable(const timeline::FlowLine& flow) {
  return std::abs(flow.x1_px) < kFarAway && std::abs(flow.x2_px) < kFarAway;
}

void paint_flow(QPainter& painter, const timeline::FlowLine& flow, const QColor& color, double width) {
  const QPointF from(flow.x1_px, flow.y1_px), to(flow.x2_px, flow.y2_px);
  painter.setPen(QPen(color, width));
  painter.drawLine(from, to);
  const QPointF along = to - from;
  const double length = std::hypot(along.x(), along.y());
  if (length < 2 * kHeadLengthPx) return;
  const QPointF unit = along / length, across(-unit.y(), unit.x());
  const QPointF base = to - unit * kHeadLengthPx;
  painter.setBrush(color);
  painter.setPen(Qt::NoPen);
  painter.drawPolygon(QPolygonF({to, base + across * kHeadHalfPx, base - across * kHeadHalfPx}));
}

}  // namespace

void paint_flows(QPainter& painter, const std::vector<timeline::FlowLine>& flows) {
  painter.setRenderHint(QPainter::Antialiasing);
  QColor quiet = text_color();
  quiet.setAlpha(110);
  for (const bool of_selected : {false, true}) {
    for (const timeline::FlowLine& flow : flows) {
      if (flow.of_selected != of_selected || !is_paintable(flow)) continue;
      paint_flow(painter, flow, of_selected ? text_color() : quiet, of_selected ? 2 : 1);
    }
  }
}

}  // namespace lockstep::gui
