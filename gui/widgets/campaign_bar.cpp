#include "gui/widgets/campaign_bar.h"

#include <fmt/ranges.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>

#include "gui/core/filter.h"
#include "gui/core/text.h"

namespace lockstep::gui {

CampaignBar::CampaignBar(Session& session, Loader& loader)
    : session_(session), loader_(loader), campaign_(new QComboBox), filter_(new QLineEdit) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(6, 2, 6, 2);
  auto* label = new QLabel("&Campaign");
  label->setBuddy(campaign_);
  campaign_->setAccessibleName("Campaign");
  campaign_->setMinimumContentsLength(34);
  campaign_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  filter_->setAccessibleName("Filter");
  filter_->setPlaceholderText("filter (Ctrl+F): gpt  system:pytorch  ranks>=2  -fabric:null");
  filter_->setClearButtonEnabled(true);
  row->addWidget(label);
  row->addWidget(campaign_);
  row->addWidget(filter_, 1);
  connect(campaign_, &QComboBox::activated, this, [this](int index) {
    const std::string selector = utf8(campaign_->itemData(index).toString());
    session_.change([&](ViewState& view) {
      view.campaign = selector;
      view.launch.clear();
    });
  });
  connect(filter_, &QLineEdit::returnPressed, this, &CampaignBar::filter_typed);
  connect(filter_, &QLineEdit::editingFinished, this, &CampaignBar::filter_typed);
  connect(&session_, &Session::changed, this, &CampaignBar::follow);
  connect(&loader_, &Loader::store_changed, this, &CampaignBar::refresh);
  refresh();
}

void CampaignBar::focus_filter() {
  filter_->setFocus();
  filter_->selectAll();
}

std::vector<CampaignBar::Entry> CampaignBar::read(store::Store& store) {
  std::vector<Entry> out;
  const std::vector<store::CampaignRow> campaigns = store.campaigns();
  for (auto row = campaigns.rbegin(); row != campaigns.rend(); ++row) {
    const std::string tags = row->tags.empty() ? "" : fmt::format("  [{}]", fmt::join(row->tags, " "));
    out.push_back({fmt::format("@{}", row->number),
                   fmt::format("@{}  {}  {}{}", row->number, row->suite, utf8(time_text(row->started_utc_ns)), tags),
                   fmt::format("{} on {}, {} launches planned, {}\n{}", row->user, row->host, row->planned_launches,
                               store::to_text(row->status), row->command_line)});
  }
  return out;
}

void CampaignBar::refresh() {
  loader_.ask<std::vector<Entry>>(
      this, "campaigns", [](store::Store& store) { return read(store); },
      [this](std::shared_ptr<const std::vector<Entry>> entries) { show_entries(*entries); },
      [this](const Failure& failure) { Q_EMIT refused(QString::fromStdString(failure.what())); });
}

// In place: somebody may have the list open while a running suite changes it.
void CampaignBar::show_entries(const std::vector<Entry>& entries) {
  constexpr int kFirst = 1;  // below "newest campaign"
  if (campaign_->count() == 0) campaign_->addItem("newest campaign", "@last");
  const auto count = static_cast<int>(entries.size());
  while (campaign_->count() < count + kFirst) campaign_->insertItem(kFirst, QString());
  while (campaign_->count() > count + kFirst) campaign_->removeItem(kFirst);
  for (int i = 0; i < count; ++i) {
    const Entry& entry = entries[static_cast<size_t>(i)];
    const QString label = qt(entry.label), tip = qt(entry.tip);
    if (campaign_->itemText(i + kFirst) != label) campaign_->setItemText(i + kFirst, label);
    campaign_->setItemData(i + kFirst, qt(entry.selector));
    campaign_->setItemData(i + kFirst, tip, Qt::ToolTipRole);
  }
  follow();
}

void CampaignBar::follow() {
  const int index = campaign_->findData(qt(session_.view().campaign));
  if (index >= 0) campaign_->setCurrentIndex(index);
  if (!filter_->hasFocus() || filter_->text().isEmpty()) filter_->setText(qt(session_.view().filter));
}

void CampaignBar::filter_typed() {
  try {
    const std::string text = utf8(filter_->text().trimmed());
    parse_row_filter(text);
    filter_->setToolTip({});
    session_.change([&](ViewState& view) { view.filter = text; });
  } catch (const Failure& failure) {
    filter_->setToolTip(QString::fromStdString(failure.what()));
    Q_EMIT refused(QString::fromStdString(failure.what()));
  }
}

}  // namespace lockstep::gui
