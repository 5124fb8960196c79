#include "gui/widgets/theme.h"

#include <QApplication>
#include <QStyleFactory>
#include <array>

namespace lockstep::gui {
namespace {

Theme g_theme = Theme::light;

// Okabe and Ito, Color Universal Design (2008); yellow is darker on white, blue lighter on black, to be seen.
constexpr std::array<QRgb, kColors> kOnLight{0xff0072b2, 0xffd55e00, 0xff009e73, 0xffcc79a7,
                                             0xffa07800, 0xff56b4e9, 0xff303030};
constexpr std::array<QRgb, kColors> kOnDark{0xff56b4e9, 0xffe8793a, 0xff2fc198, 0xffe09cc4,
                                            0xfff0e442, 0xff4a90d9, 0xffd8d8d8};
// No dots: they are of models, and of the second of two that look alike.
constexpr std::array<Qt::PenStyle, kDashes> kLineDashes{Qt::SolidLine, Qt::DashLine, Qt::DashDotLine,
                                                        Qt::DashDotDotLine};

QColor pick(QRgb light, QRgb dark) { return QColor(g_theme == Theme::light ? light : dark); }

QPalette palette_now() {
  QPalette out;
  const QColor window = pick(0xfff3f4f6, 0xff1d2024), base = background_color(), text = text_color();
  const QColor button = pick(0xffe6e8ec, 0xff2c3036), quiet = quiet_text_color();
  out.setColor(QPalette::Window, window);
  out.setColor(QPalette::WindowText, text);
  out.setColor(QPalette::Base, base);
  out.setColor(QPalette::AlternateBase, pick(0xfff6f7f9, 0xff262a2f));
  out.setColor(QPalette::Text, text);
  out.setColor(QPalette::Button, button);
  out.setColor(QPalette::ButtonText, text);
  out.setColor(QPalette::ToolTipBase, pick(0xffffffff, 0xff32373e));
  out.setColor(QPalette::ToolTipText, text);
  out.setColor(QPalette::PlaceholderText, quiet);
  out.setColor(QPalette::Highlight, accent_color());
  out.setColor(QPalette::HighlightedText, QColor(g_theme == Theme::light ? 0xffffffff : 0xff101214));
  out.setColor(QPalette::Link, accent_color());
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    out.setColor(QPalette::Disabled, role, quiet);
  }
  return out;
}

}  // namespace

void use_theme(QApplication& application, Theme theme) {
  g_theme = theme;
  application.setStyle(QStyleFactory::create("Fusion"));
  application.setPalette(palette_now());
  QFont font("DejaVu Sans");
  font.setPointSizeF(9.5);
  application.setFont(font);
  application.setStyleSheet(
      QString("QToolTip { color: %1; background: %2; border: 1px solid %3; }"
              "QLabel#words { background: %2; border: 1px solid %4; border-radius: 3px; padding: 6px; }")
          .arg(text_color().name(), background_color().name(), grid_color().name(), accent_color().name()));
}

Theme theme_now() { return g_theme; }

QColor look_color(size_t look) { return pick(kOnLight[look % kColors], kOnDark[look % kColors]); }
Qt::PenStyle look_dash(size_t look) { return kLineDashes[look % kDashes]; }

QColor text_color() { return pick(0xff1a1c20, 0xffe8eaed); }
QColor quiet_text_color() { return pick(0xff5a6068, 0xffa5abb3); }
QColor grid_color() { return pick(0xffd5d8dd, 0xff41464d); }
QColor background_color() { return pick(0xffffffff, 0xff23262b); }
QColor accent_color() { return pick(0xff0060a8, 0xff6cb6f0); }
QColor alarm_color() { return pick(0xffb3261e, 0xffff8a80); }

}  // namespace lockstep::gui
