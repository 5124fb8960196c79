#include "gui/widgets/labels.h"

#include "gui/core/text.h"

namespace lockstep::gui {

QLabel* text_label(const QString& text, bool rich) {
  auto* out = new QLabel(text);
  out->setTextFormat(rich ? Qt::RichText : Qt::PlainText);
  out->setWordWrap(true);
  out->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return out;
}

QLabel* heading_label(const QString& text, int level) {
  auto* out = text_label(text);
  QFont font = out->font();
  font.setBold(true);
  font.setPointSizeF(font.pointSizeF() * (level == 1 ? 1.6 : level == 2 ? 1.3 : 1.05));
  out->setFont(font);
  return out;
}

QString facts_html(const std::vector<report::Fact>& facts) {
  QString out = "<table>";
  for (const report::Fact& fact : facts) {
    out += QString("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>").arg(escaped(fact.name), escaped(fact.text));
  }
  return out + "</table>";
}

QString escaped(const std::string& text) { return qt(text).toHtmlEscaped(); }

}  // namespace lockstep::gui
