#pragma once

#include <QList>

class QAction;
class QWidget;

namespace lockstep::gui {

/// Every key, and what each page shows: what `?` opens.
void show_help_sheet(const QList<QAction*>& actions, QWidget* parent);

}  // namespace lockstep::gui
