#pragma once

#include <QLabel>
#include <QString>
#include <vector>

#include "results/report/model.h"

namespace lockstep::gui {

/// Selectable text that wraps; `rich`: it is HTML.
QLabel* text_label(const QString& text, bool rich = false);
/// A heading of level 1, 2 or 3.
QLabel* heading_label(const QString& text, int level);
/// HTML: a line a fact, names and texts in columns.
QString facts_html(const std::vector<report::Fact>& facts);
/// For HTML.
QString escaped(const std::string& text);

}  // namespace lockstep::gui
