#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>
#include <numeric>

class QApplication;

namespace lockstep::gui {

/// Light or dark; colours that people with any colour vision can tell apart (Okabe and Ito 2008), with marks and dashes
/// that say the same.
enum class Theme : uint8_t { light, dark };

/// Fusion style, the project's fonts and the palette of the theme.
void use_theme(QApplication& application, Theme theme);
Theme theme_now();

/// How the series, cell or class number `look` is drawn, the same in every view. Each of the three goes round on its
/// own and no two of colour and mark, or of colour and dash, together: 56 looks differ by colour or mark, 28 by colour
/// or dash.
inline constexpr size_t kColors = 7, kMarks = 8, kDashes = 4;
static_assert(std::gcd(kColors, kMarks) == 1 && std::gcd(kColors, kDashes) == 1);
QColor look_color(size_t look);
Qt::PenStyle look_dash(size_t look);
inline size_t look_mark(size_t look) { return look % kMarks; }

QColor text_color();        ///< contrast to the background at least 7
QColor quiet_text_color();  ///< at least 4.5
QColor grid_color();
QColor background_color();
QColor accent_color();  ///< of what is selected or brushed
QColor alarm_color();   ///< failed, regressed

}  // namespace lockstep::gui
