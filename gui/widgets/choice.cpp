#include "gui/widgets/choice.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

#include "gui/core/text.h"

namespace lockstep::gui {

std::vector<std::pair<std::string, QString>> entries_of(const std::vector<std::string>& values) {
  std::vector<std::pair<std::string, QString>> out;
  for (const std::string& value : values) out.emplace_back(value, qt(value));
  return out;
}

Choice::Choice(Session& session, std::string option, const QString& label,
               std::vector<std::pair<std::string, QString>> entries)
    : session_(session), option_(std::move(option)), box_(new QComboBox) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  auto* name = new QLabel(label);
  name->setBuddy(box_);
  QString plain = label;
  box_->setAccessibleName(plain.remove('&'));
  box_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  row->addWidget(name);
  row->addWidget(box_);
  set_entries(std::move(entries));
  connect(box_, &QComboBox::activated, this, [this](int index) {
    session_.change([&](ViewState& view) { view.options[option_] = entries_[static_cast<size_t>(index)].first; });
  });
  connect(&session_, &Session::changed, this, &Choice::follow);
}

std::string Choice::value() const {
  const std::string chosen = session_.view().option(option_, "");
  const bool known = std::any_of(entries_.begin(), entries_.end(), [&](const auto& e) { return e.first == chosen; });
  return known || entries_.empty() ? chosen : entries_.front().first;
}

void Choice::set_entries(std::vector<std::pair<std::string, QString>> entries) {
  if (entries == entries_) return follow();
  entries_ = std::move(entries);
  box_->clear();
  for (const auto& [value, name] : entries_) box_->addItem(name);
  follow();
}

void Choice::follow() {
  const std::string now = value();
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].first == now) box_->setCurrentIndex(static_cast<int>(i));
  }
}

}  // namespace lockstep::gui
