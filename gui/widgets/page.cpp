#include "gui/widgets/page.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace lockstep::gui {

Page::Page(Session& session, Loader& loader) : session_(session), loader_(loader) {
  auto* all = new QVBoxLayout(this);
  words_ = new QLabel;
  words_->setWordWrap(true);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  words_->setObjectName("words");
  words_->hide();
  content_ = new QVBoxLayout;
  all->addWidget(words_);
  all->addLayout(content_, 1);
  connect(&session_, &Session::changed, this, [this](const ViewState& before) {
    if (concerns(before)) {
      refresh();
    } else {
      restyle();
    }
  });
  connect(&loader_, &Loader::store_changed, this, &Page::refresh);
}

bool Page::concerns(const ViewState& before) const {
  return before.campaign != session_.view().campaign || before.filter != session_.view().filter;
}

void Page::refresh() {
  stale_ = true;
  if (!isVisible()) return;
  stale_ = false;
  load();
  if (ready()) Q_EMIT became_ready();
}

void Page::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) refresh();
}

void Page::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  for (const QString& channel : quick_) {
    if (!is_open(channel)) continue;
    loader_.forget(this, channel);
    close_question(channel);
    stale_ = true;
  }
}

QString Page::words() const { return words_->text(); }

void Page::say(const QString& words) {
  words_->setText(words);
  words_->setVisible(!words.isEmpty());
}

bool Page::is_open(const QString& channel) const {
  return std::find(open_.begin(), open_.end(), channel) != open_.end();
}

// A newer question on the same channel replaces the older one, whose answer never comes.
void Page::begin_question(const QString& channel) {
  if (!is_open(channel)) open_.push_back(channel);
}

void Page::close_question(const QString& channel) {
  open_.erase(std::remove(open_.begin(), open_.end(), channel), open_.end());
}

void Page::tell_ready() {
  if (ready()) Q_EMIT became_ready();
}

}  // namespace lockstep::gui
