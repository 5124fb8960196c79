#include "gui/widgets/notes_dock.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include "gui/core/campaign.h"
#include "gui/core/text.h"

namespace lockstep::gui {

namespace {
constexpr int kLeastLetters = 28;
}

NotesDock::NotesDock(Session& session, Loader& loader, QWidget* parent)
    : QDockWidget("Notes", parent),
      session_(session),
      loader_(loader),
      title_(new QLabel),
      list_(new QListWidget),
      tag_(new QLineEdit),
      note_(new QLineEdit) {
  setObjectName("notes");
  title_->setWordWrap(true);
  list_->setAccessibleName("Tags and notes");
  list_->setWordWrap(true);
  tag_->setPlaceholderText("before-upgrade");
  tag_->setAccessibleName("New tag of the campaign");
  note_->setPlaceholderText("Enter keeps it");
  note_->setAccessibleName("New note");
  auto* inner = new QWidget;
  inner->setMinimumWidth(fontMetrics().averageCharWidth() * kLeastLetters);
  auto* column = new QVBoxLayout(inner);
  column->addWidget(title_);
  column->addWidget(list_, 1);
  auto* form = new QFormLayout;
  form->addRow("Tag", tag_);
  form->addRow("Note", note_);
  column->addLayout(form);
  setWidget(inner);
  connect(tag_, &QLineEdit::returnPressed, this, [this] { Q_EMIT wanted({"tag", tag_->text(), qt(selector_)}); });
  connect(note_, &QLineEdit::returnPressed, this, [this] {
    const std::string& launch = session_.view().launch;
    Q_EMIT wanted({"note", qt(launch.empty() ? selector_ : launch), note_->text()});
  });
  connect(&session_, &Session::changed, this, [this](const ViewState& before) {
    if (before.campaign != session_.view().campaign || before.launch != session_.view().launch) refresh();
  });
  connect(&loader_, &Loader::store_changed, this, &NotesDock::refresh);
  connect(this, &QDockWidget::visibilityChanged, this, &NotesDock::refresh);
}

void NotesDock::take_keyboard() {
  show(), raise();
  tag_->setFocus();
}

void NotesDock::forget(const QStringList& arguments) {
  if (arguments.size() != 3) return;
  if (arguments[0] == "tag" && arguments[1] == tag_->text()) tag_->clear();
  if (arguments[0] == "note" && arguments[2] == note_->text()) note_->clear();
}

NotesDock::Data NotesDock::read(store::Store& store, const ViewState& view) {
  Data out;
  const std::optional<store::CampaignRow> campaign = campaign_of(store, view);
  if (!campaign) return out;
  out.selector = fmt::format("@{}", campaign->number);
  out.campaign = out.selector + " " + campaign->suite;
  out.tags = campaign->tags;
  const auto add = [&](const std::string& about, const std::string& id) {
    for (const store::NoteRow& note : store.notes(id)) {
      out.lines.push_back(fmt::format("{}: {}\n{}, {}", about, note.text, note.who, utf8(time_text(note.at_utc_ns))));
    }
  };
  add(out.selector, campaign->id);
  if (!view.launch.empty()) {
    add(view.launch, snapshot::resolve(store, snapshot::parse_launch_selector(view.launch)).id);
  }
  return out;
}

void NotesDock::refresh() {
  if (!isVisible()) return;
  loader_.ask<Data>(
      this, "notes", [view = session_.view()](store::Store& store) { return read(store, view); },
      [this](std::shared_ptr<const Data> data) { show_data(*data); },
      [this](const Failure& failure) { title_->setText(failure.what()); });
}

void NotesDock::show_data(const Data& data) {
  selector_ = data.selector;
  tag_->setEnabled(!selector_.empty()), note_->setEnabled(!selector_.empty());
  const std::string& launch = session_.view().launch;
  title_->setText(data.campaign.empty() ? QString("no campaign")
                                        : qt(data.campaign + (launch.empty() ? "" : ", launch " + launch)));
  list_->clear();
  for (const std::string& tag : data.tags) list_->addItem("tag " + qt(tag));
  for (const std::string& line : data.lines) list_->addItem(qt(line));
  if (list_->count() == 0) list_->addItem("no tags and no notes yet");
}

}  // namespace lockstep::gui
