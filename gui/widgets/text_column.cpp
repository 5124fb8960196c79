#include "gui/widgets/text_column.h"

#include <QLabel>
#include <QVBoxLayout>

#include "gui/widgets/labels.h"

namespace lockstep::gui {

TextColumn::TextColumn(QWidget* parent) : QWidget(parent), column_(new QVBoxLayout(this)) {
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(10);
}

void TextColumn::set_texts(const std::vector<QString>& texts) {
  while (labels_.size() > texts.size()) {
    delete labels_.back();
    labels_.pop_back();
  }
  while (labels_.size() < texts.size()) {
    labels_.push_back(text_label({}, true));
    labels_.back()->setTextInteractionFlags(labels_.back()->textInteractionFlags() | Qt::LinksAccessibleByMouse |
                                            Qt::LinksAccessibleByKeyboard);
    connect(labels_.back(), &QLabel::linkActivated, this, &TextColumn::link_opened);
    column_->addWidget(labels_.back());
    labels_.back()->show();  // at once: a layout shows it later, and the page would jump then
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    if (labels_[i]->text() != texts[i]) labels_[i]->setText(texts[i]);
    labels_[i]->setAccessibleDescription(texts[i].contains("<a ") ? link_words_ : QString());
  }
  setVisible(!texts.empty());
}

}  // namespace lockstep::gui
