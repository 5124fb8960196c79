#include "gui/widgets/timeline_choices.h"

#include <fmt/ranges.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <sstream>

#include "gui/core/text.h"
#include "gui/core/timeline/track_filter.h"
#include "gui/widgets/kind_legend.h"
#include "profiler/sinks/kind_names.h"

namespace lockstep::gui {
namespace {

using timeline::Arrangement;

struct ShowRow {
  const char *id, *title;
  Arrangement arrangement;
};
constexpr ShowRow kShows[] = {{"overlay", "plan above what was measured", Arrangement::overlay},
                              {"side", "plan, then what was measured", Arrangement::side_by_side},
                              {"measured", "measured only", Arrangement::measured},
                              {"planned", "planned only", Arrangement::planned}};

Arrangement arrangement_of(const ViewState& view) {
  const std::string show = view.option(TimelineChoices::kShow, kShows[0].id);
  for (const ShowRow& one : kShows) {
    if (show == one.id) return one.arrangement;
  }
  return kShows[0].arrangement;
}

std::set<int32_t> ranks_in(const std::string& text) {
  std::set<int32_t> out;
  std::istringstream in(text);
  for (int32_t rank = 0; in >> rank;) out.insert(rank);
  return out;
}

QLabel* label_for(const char* text, QWidget* buddy) {
  auto* out = new QLabel(text);
  out->setBuddy(buddy);
  return out;
}

}  // namespace

TimelineChoices::TimelineChoices(Session& session)
    : session_(session),
      launch_(new QComboBox),
      other_(new QComboBox),
      show_(new QComboBox),
      filter_(new QLineEdit),
      legend_(new KindLegend) {
  for (QComboBox* box : {launch_, other_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(16);
  }
  launch_->setAccessibleName("Launch");
  other_->setAccessibleName("Launch to compare with");
  show_->setAccessibleName("Planned or measured");
  for (const ShowRow& one : kShows) show_->addItem(one.title, one.id);
  filter_->setAccessibleName("Row filter");
  filter_->setPlaceholderText("rows: rank<4 -origin:planned");
  filter_->setToolTip("Hides rows; changes no number. Columns: rank, track, origin.");
  filter_->setClearButtonEnabled(true);
  filter_->setMinimumWidth(filter_->fontMetrics().horizontalAdvance(filter_->placeholderText()) + 24);
  auto* launches = new QHBoxLayout;
  launches->addWidget(label_for("&Launch", launch_));
  launches->addWidget(launch_, 1);
  launches->addWidget(label_for("a&gainst", other_));
  launches->addWidget(other_, 1);
  auto* looks = new QHBoxLayout;
  looks->addWidget(label_for("&Show", show_));
  looks->addWidget(show_);
  looks->addWidget(filter_);
  looks->addWidget(legend_, 1);
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->addLayout(launches);
  rows->addLayout(looks);
  connect(launch_, &QComboBox::activated, this, [this](int i) {
    session_.change([&](ViewState& view) { view.launch = utf8(launch_->itemData(i).toString()); });
  });
  connect(other_, &QComboBox::activated, this, [this](int i) {
    session_.change(
        [&](ViewState& view) { view.options[timeline::kOtherOption] = utf8(other_->itemData(i).toString()); });
  });
  connect(show_, &QComboBox::activated, this, [this](int i) {
    session_.change([&](ViewState& view) { view.options[kShow] = utf8(show_->itemData(i).toString()); });
  });
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    session_.change([&](ViewState& view) { view.options[kRows] = utf8(text.trimmed()); }, kRows);
  });
}

void TimelineChoices::show_loaded(const timeline::Loaded& loaded) {
  fill(launch_, loaded, loaded.first, loaded.wanted, false);
  fill(other_, loaded, loaded.other, loaded.wanted_other, true);
  legend_->setVisible(loaded.first != nullptr);
  if (loaded.first) show_legend(loaded);
}

void TimelineChoices::fill(QComboBox* box, const timeline::Loaded& loaded,
                           const std::shared_ptr<const timeline::Launch>& shown, const std::string& wanted,
                           bool or_none) {
  std::vector<std::pair<QString, QString>> entries, before;
  if (or_none) entries.emplace_back("no other launch", "");
  for (const timeline::Recorded& one : loaded.recorded) {
    entries.emplace_back(qt(one.selector + "  " + one.cell), qt(one.selector));
  }
  // What was asked for stays the choice where it cannot be shown: the page says why, and another one can be chosen.
  const QString now = qt(shown ? shown->selector : wanted);
  const auto is_now = [&](const auto& entry) { return entry.second == now; };
  if (!now.isEmpty() && std::none_of(entries.begin(), entries.end(), is_now)) {
    entries.emplace_back(shown ? qt(shown->title()) : now + "  has no timeline", now);
  }
  for (int i = 0; i < box->count(); ++i) before.emplace_back(box->itemText(i), box->itemData(i).toString());
  if (entries != before) {  // an open list stays open while others write to the store
    box->clear();
    for (const auto& [text, selector] : entries) box->addItem(text, selector);
  }
  box->setCurrentIndex(!now.isEmpty() ? box->findData(now) : or_none ? 0 : -1);
  box->setToolTip(shown ? qt(shown->title()) : QString());
}

void TimelineChoices::show_legend(const timeline::Loaded& loaded) {
  std::array<bool, profiler::kKindNames.size()> there{};
  bool planned = false;
  for (const auto& launch : {loaded.first, loaded.other}) {
    if (!launch) continue;
    for (const activity::Kind kind : launch->timeline.columns.kind) there[static_cast<size_t>(kind)] = true;
    for (const timeline::Track& track : launch->timeline.columns.tracks) {
      planned = planned || track.origin == activity::Origin::planned;
    }
  }
  std::vector<activity::Kind> kinds;
  for (size_t i = 0; i < there.size(); ++i) {
    if (there[i]) kinds.push_back(static_cast<activity::Kind>(i));
  }
  legend_->set_kinds(std::move(kinds), planned);
}

void TimelineChoices::follow() {
  const ViewState& view = session_.view();
  const QString rows = qt(view.option(kRows, ""));
  if (filter_->text().trimmed() != rows) filter_->setText(rows);
  show_->setCurrentIndex(std::max(0, show_->findData(qt(view.option(kShow, kShows[0].id)))));
}

timeline::RowChoices TimelineChoices::rows_of(const timeline::Launch& launch) const {
  const ViewState& view = session_.view();
  timeline::RowChoices out;
  out.arrangement = arrangement_of(view);
  out.collapsed = ranks_in(view.option(kCollapsed, "")), out.pinned = ranks_in(view.option(kPinned, ""));
  out.hidden = timeline::hidden_tracks(launch.timeline.columns, view.option(kRows, ""));
  return out;
}

bool TimelineChoices::planned_only() const { return arrangement_of(session_.view()) == Arrangement::planned; }

void TimelineChoices::toggle_rank(const char* option, int rank) {
  std::set<int32_t> ranks = ranks_in(session_.view().option(option, ""));
  if (!ranks.erase(rank)) ranks.insert(rank);
  session_.change([&](ViewState& view) { view.options[option] = fmt::format("{}", fmt::join(ranks, " ")); });
}

}  // namespace lockstep::gui
