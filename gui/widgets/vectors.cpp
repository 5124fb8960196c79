#include "gui/widgets/vectors.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QWidget>
#include <algorithm>
#include <memory>
#include <optional>

#include "gui/widgets/cut_shapes.h"

namespace lockstep::gui {
namespace {

// Rounded borders and overhanging letters are no reason to cut.
constexpr double kTolerance = 1;

double half_width(const QPen& pen) { return pen.style() == Qt::NoPen ? 0 : std::max(1.0, pen.widthF()) / 2; }

/// Paints all that a widget asks for on another painter: as it is where it is in sight, else what is left of it.
class VectorEngine : public QPaintEngine {
 public:
  VectorEngine(QPainter& target, const QPoint& at, const QRect& sight)
      : QPaintEngine(AllFeatures), target_(target), at_(QTransform::fromTranslate(at.x(), at.y())), seen_part_(sight) {}

  bool begin(QPaintDevice*) override {
    target_.save();
    clip_.reset(), clips_ = false;
    return true;
  }
  bool end() override {
    target_.restore();
    return true;
  }
  Type type() const override { return User; }

  void updateState(const QPaintEngineState& state) override;
  void drawPath(const QPainterPath& path) override { draw(path, target_.brush().style() != Qt::NoBrush); }
  void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override;
  using QPaintEngine::drawPolygon;
  void drawTextItem(const QPointF& at, const QTextItem& item) override;
  void drawPixmap(const QRectF& rect, const QPixmap& pixmap, const QRectF& part) override;
  void drawTiledPixmap(const QRectF& rect, const QPixmap& pixmap, const QPointF& offset) override;
  void drawImage(const QRectF& rect, const QImage& image, const QRectF& part, Qt::ImageConversionFlags flags) override;

 private:
  enum class Seen : uint8_t { whole, part, nothing };

  void set_clip(const QRectF& rect, Qt::ClipOperation operation);
  /// Where anything may be painted: the widget's part that shows, and the clip that it asked for.
  QRectF sight() const;
  Seen seen(const QRectF& bounds) const;
  void draw(const QPainterPath& path, bool filled);
  /// What is left of `rect`, and of the `part` that is drawn into it.
  template <class Draw>
  void draw_part(const QRectF& rect, const QRectF& part, Draw draw);

  QPainter& target_;
  QTransform at_;               ///< from the widget to the picture
  QRectF seen_part_;            ///< of the widget, in the picture
  std::optional<QRectF> clip_;  ///< what the widget asked for, in the picture
  bool clips_ = false;
};

/// A widget's own place in the picture. Each has a device of its own: where one device serves several, at an offset, Qt
/// 6.4 adds the offset twice to clips that QPainter::restore() brings back.
class VectorDevice : public QPaintDevice {
 public:
  VectorDevice(QPainter& target, const QSize& size, const QPoint& at, const QRect& sight)
      : target_(target), size_(size), engine_(std::make_unique<VectorEngine>(target, at, sight)) {}

  QPaintEngine* paintEngine() const override { return engine_.get(); }

 protected:
  int metric(PaintDeviceMetric metric) const override;

 private:
  QPainter& target_;
  QSize size_;
  std::unique_ptr<VectorEngine> engine_;
};

void VectorEngine::updateState(const QPaintEngineState& state) {
  const DirtyFlags dirty = state.state();
  const QTransform transform = state.transform() * at_;
  if (dirty & DirtyTransform) target_.setTransform(transform);
  if (dirty & DirtyPen) target_.setPen(state.pen());
  if (dirty & DirtyBrush) target_.setBrush(state.brush());
  if (dirty & DirtyBrushOrigin) target_.setBrushOrigin(state.brushOrigin());
  if (dirty & DirtyFont) target_.setFont(state.font());
  if (dirty & DirtyBackground) target_.setBackground(state.backgroundBrush());
  if (dirty & DirtyBackgroundMode) target_.setBackgroundMode(state.backgroundMode());
  if (dirty & DirtyHints) {
    target_.setRenderHints(target_.renderHints(), false);
    target_.setRenderHints(state.renderHints());
  }
  if (dirty & DirtyOpacity) target_.setOpacity(state.opacity());
  if (dirty & DirtyClipEnabled) clips_ = state.isClipEnabled();
  if (dirty & DirtyClipRegion) {
    set_clip(transform.mapRect(QRectF(state.clipRegion().boundingRect())), state.clipOperation());
  }
  if (dirty & DirtyClipPath) {
    set_clip(transform.mapRect(state.clipPath().boundingRect()), state.clipOperation());
  }
}

// An empty one is a rectangle of a negative size, as QCustomPlot has them, of which Qt makes nothing.
void VectorEngine::set_clip(const QRectF& rect, Qt::ClipOperation operation) {
  if (operation != Qt::NoClip && rect.isEmpty()) return;
  clips_ = operation != Qt::NoClip;
  if (!clips_) {
    clip_.reset();
  } else {
    clip_ = operation == Qt::IntersectClip && clip_ ? clip_->intersected(rect) : rect;
  }
}

QRectF VectorEngine::sight() const { return clips_ && clip_ ? seen_part_.intersected(*clip_) : seen_part_; }

VectorEngine::Seen VectorEngine::seen(const QRectF& bounds) const {
  const QRectF sight = this->sight(), drawn = target_.transform().mapRect(bounds);
  if (sight.adjusted(-kTolerance, -kTolerance, kTolerance, kTolerance).contains(drawn)) return Seen::whole;
  const bool apart = drawn.right() < sight.left() || drawn.left() > sight.right() || drawn.bottom() < sight.top() ||
                     drawn.top() > sight.bottom();
  return apart || sight.isEmpty() ? Seen::nothing : Seen::part;
}

void VectorEngine::draw(const QPainterPath& path, bool filled) {
  const double half = half_width(target_.pen());
  const Seen what = seen(path.controlPointRect().adjusted(-half, -half, half, half));
  if (what == Seen::nothing) return;
  if (what == Seen::whole) {
    filled ? target_.drawPath(path) : target_.strokePath(path, target_.pen());
    return;
  }
  const QRectF sight = target_.transform().inverted().mapRect(this->sight());
  if (filled) target_.fillPath(area_inside(path, sight), target_.brush());
  if (half > 0) target_.strokePath(lines_inside(path, sight), target_.pen());
}

void VectorEngine::drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) {
  QPainterPath path;
  if (count > 0) path.moveTo(points[0]);
  for (int i = 1; i < count; ++i) path.lineTo(points[i]);
  if (mode != PolylineMode) path.closeSubpath();
  path.setFillRule(mode == OddEvenMode ? Qt::OddEvenFill : Qt::WindingFill);
  draw(path, mode != PolylineMode && target_.brush().style() != Qt::NoBrush);
}

void VectorEngine::drawTextItem(const QPointF& at, const QTextItem& item) {
  const QRectF bounds(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent());
  const Seen what = seen(bounds);
  if (what == Seen::whole) target_.drawTextItem(at, item);
  if (what != Seen::part) return;
  QPainterPath letters;
  letters.addText(at, item.font(), item.text());
  letters.setFillRule(Qt::WindingFill);
  target_.fillPath(area_inside(letters, target_.transform().inverted().mapRect(sight())), target_.pen().brush());
}

template <class Draw>
void VectorEngine::draw_part(const QRectF& rect, const QRectF& part, Draw draw) {
  const QRectF shown = rect.intersected(target_.transform().inverted().mapRect(sight()));
  if (shown.isEmpty()) return;
  const double across = part.width() / rect.width(), down = part.height() / rect.height();
  draw(shown, QRectF(part.left() + (shown.left() - rect.left()) * across,
                     part.top() + (shown.top() - rect.top()) * down, shown.width() * across, shown.height() * down));
}

void VectorEngine::drawPixmap(const QRectF& rect, const QPixmap& pixmap, const QRectF& part) {
  draw_part(rect, part, [&](const QRectF& shown, const QRectF& its) { target_.drawPixmap(shown, pixmap, its); });
}

void VectorEngine::drawTiledPixmap(const QRectF& rect, const QPixmap& pixmap, const QPointF& offset) {
  draw_part(rect, QRectF(offset, rect.size()),
            [&](const QRectF& shown, const QRectF& its) { target_.drawTiledPixmap(shown, pixmap, its.topLeft()); });
}

void VectorEngine::drawImage(const QRectF& rect, const QImage& image, const QRectF& part,
                             Qt::ImageConversionFlags flags) {
  draw_part(rect, part, [&](const QRectF& shown, const QRectF& its) { target_.drawImage(shown, image, its, flags); });
}

int VectorDevice::metric(PaintDeviceMetric metric) const {
  switch (metric) {
    case PdmWidth:
      return size_.width();
    case PdmHeight:
      return size_.height();
    case PdmWidthMM:
      return target_.device()->widthMM();
    case PdmHeightMM:
      return target_.device()->heightMM();
    case PdmDpiX:
    case PdmPhysicalDpiX:
      return target_.device()->logicalDpiX();
    case PdmDpiY:
    case PdmPhysicalDpiY:
      return target_.device()->logicalDpiY();
    case PdmDepth:
      return 32;
    case PdmNumColors:
      return 1 << 24;
    case PdmDevicePixelRatio:
      return 1;
    case PdmDevicePixelRatioScaled:
      return static_cast<int>(devicePixelRatioFScale());
  }
  return QPaintDevice::metric(metric);
}

void paint_tree(QWidget& widget, QPainter& target, const QPoint& at, const QRect& sight, QWidget::RenderFlags flags) {
  VectorDevice device(target, widget.size(), at, sight);
  widget.render(&device, {}, {}, flags);
  for (QObject* child : widget.children()) {
    auto* inside = qobject_cast<QWidget*>(child);
    if (inside == nullptr || inside->isWindow() || !inside->isVisibleTo(&widget)) continue;
    const QRect place(at + inside->pos(), inside->size());
    if (const QRect seen = sight & place; !seen.isEmpty()) paint_tree(*inside, target, place.topLeft(), seen, {});
  }
}

}  // namespace

void paint_vectors(QWidget& widget, QPainter& target) {
  paint_tree(widget, target, {}, widget.rect(), QWidget::DrawWindowBackground);
}

}  // namespace lockstep::gui
