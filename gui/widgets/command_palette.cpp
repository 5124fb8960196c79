#include "gui/widgets/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <vector>

namespace lockstep::gui {
namespace {

QString plain(const QAction& action) { return action.text().remove('&'); }

/// All letters in order, not necessarily one after the other.
bool fits(const QString& text, const QString& letters) {
  qsizetype at = 0;
  for (const QChar letter : letters) {
    at = text.indexOf(letter, at, Qt::CaseInsensitive);
    if (at < 0) return false;
    ++at;
  }
  return true;
}

/// How well a command is meant by what was typed: 0 best; nothing: not at all.
std::optional<int> rank_of(const QAction& action, const QString& text) {
  if (plain(action).contains(text, Qt::CaseInsensitive)) return 0;
  for (const QString& word : action.data().toString().split(' ')) {
    if (word.startsWith(text, Qt::CaseInsensitive)) return 1;
  }
  return fits(plain(action), text) ? std::make_optional(2) : std::nullopt;
}

}  // namespace

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog(parent), actions_(actions), line_(new QLineEdit), list_(new QListWidget) {
  setWindowTitle("Commands");
  resize(520, 360);
  line_->setPlaceholderText("Type a few letters of a command");
  line_->setAccessibleName("Command");
  auto* column = new QVBoxLayout(this);
  column->addWidget(line_);
  column->addWidget(list_);
  line_->installEventFilter(this);
  connect(line_, &QLineEdit::textChanged, this, &CommandPalette::narrow);
  connect(line_, &QLineEdit::returnPressed, this, &CommandPalette::run);
  connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run);
  narrow({});
}

void CommandPalette::narrow(const QString& text) {
  list_->clear();
  std::vector<std::pair<int, qsizetype>> found;
  for (qsizetype i = 0; i < actions_.size(); ++i) {
    const QAction& action = *actions_[i];
    if (action.text().isEmpty() || !action.isEnabled()) continue;
    if (const auto rank = rank_of(action, text)) found.emplace_back(*rank, i);
  }
  std::sort(found.begin(), found.end());
  for (const auto& [rank, i] : found) {
    const QAction& action = *actions_[i];
    const QString keys = action.shortcut().toString(QKeySequence::NativeText);
    auto* item = new QListWidgetItem(plain(action) + (keys.isEmpty() ? "" : "    " + keys), list_);
    item->setData(Qt::UserRole, i);
  }
  list_->setCurrentRow(0);
}

void CommandPalette::run() {
  const QListWidgetItem* item = list_->currentItem();
  accept();
  if (item != nullptr) actions_[item->data(Qt::UserRole).toLongLong()]->trigger();
}

// Up and down move in the list while the line keeps the focus.
bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    if (step != 0) {
      list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, std::max(0, list_->count() - 1)));
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace lockstep::gui
