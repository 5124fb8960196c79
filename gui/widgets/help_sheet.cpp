#include "gui/widgets/help_sheet.h"

#include <QAction>
#include <QDialog>
#include <QDialogButtonBox>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "gui/widgets/labels.h"
#include "gui/widgets/page_table.h"
#include "gui/widgets/timeline_view.h"

namespace lockstep::gui {
namespace {

constexpr KeyRow kOfCharts[] = {{"drag, Left, Right", "move the picture"},
                                {"wheel (after a click), + and -", "zoom"},
                                {"double click, Home", "show everything"},
                                {"click on a series", "brush its cell in every view"}};
constexpr KeyRow kOfSchedules[] = {{"Left, Right, Up, Down", "go from box to box"},
                                   {"drag; wheel (after a click), + and -", "move the picture; zoom"},
                                   {"double click, Home", "show everything"}};
constexpr KeyRow kOfTables[] = {{"click on a head", "sort"},
                                {"Ctrl+C", "copy the chosen rows"},
                                {"Enter", "open the row"},
                                {"right click on a head or row, Menu key", "choose, hide and filter by columns; save"}};

QString rows_of(std::span<const KeyRow> keys) {
  QString out;
  for (const KeyRow& key : keys)
    out += QString("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>").arg(key.keys, key.what);
  return out;
}

}  // namespace

void show_help_sheet(const QList<QAction*>& actions, QWidget* parent) {
  QString html = "<h3>Pages</h3><table>";
  for (const PageRow& page : pages()) {
    html += QString("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>").arg(page.title, escaped(page.what));
  }
  html += "</table><h3>Keys</h3><table>";
  for (const QAction* action : actions) {
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    if (keys.isEmpty()) continue;
    html += QString("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                .arg(keys.toHtmlEscaped(), action->text().remove('&').toHtmlEscaped());
  }
  html += "</table><h3>Charts</h3><table>" + rows_of(kOfCharts) + "</table><h3>Tables</h3><table>" +
          rows_of(kOfTables) + "</table><h3>Timeline</h3><table>" + rows_of(TimelineView::keys()) +
          "</table><h3>Pipeline schedules</h3><table>" + rows_of(kOfSchedules) +
          "</table><h3>Filter</h3><p>Blank-separated terms, all of which must hold: <b>gpt</b>, <b>system:pytorch</b>, "
          "<b>strategy=dp2</b>, <b>ranks&gt;=2</b>, <b>-fabric:null</b>. A filter hides rows; it never changes another "
          "row's number.</p>";
  QDialog dialog(parent);
  dialog.setWindowTitle("Keys and pages");
  dialog.resize(640, 620);
  auto* browser = new QTextBrowser;
  browser->setHtml(html);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  auto* column = new QVBoxLayout(&dialog);
  column->addWidget(browser);
  column->addWidget(buttons);
  dialog.exec();
}

}  // namespace lockstep::gui
