#pragma once

#include <QWidget>
#include <memory>
#include <set>
#include <vector>

#include "gui/core/chart.h"
#include "gui/core/loader.h"
#include "gui/core/session.h"

class QLabel;
class QVBoxLayout;

namespace lockstep::gui {

/// One page of the program: it asks the loader for plain data about what the session's view names, and shows it. A page
/// that nobody sees asks for nothing.
class Page : public QWidget {
  Q_OBJECT
 public:
  Page(Session& session, Loader& loader);

  /// The tables behind what is shown, for export: exactly what is on the page.
  virtual std::vector<report::Table> tables() const = 0;

  /// Asks again, when the page is seen.
  void refresh();
  /// Whether everything that was asked for is on the page.
  bool ready() const { return !stale_ && open_.empty(); }
  /// What stands above the page in words: what is missing, what went wrong. Empty: nothing.
  QString words() const;

 Q_SIGNALS:
  void became_ready();

 protected:
  /// Asks the loader for what `session().view()` names.
  virtual void load() = 0;
  /// Whether the page shows something else after a change of the view; by default every change of campaign or filter.
  virtual bool concerns(const ViewState& before) const;
  /// Only how the data is shown has changed (a brushed cell, a hidden one, a zoom).
  virtual void restyle() {}

  Session& session() const { return session_; }
  Loader& loader() const { return loader_; }

  /// The loader's answer goes to `show`; a failure is said above the page, and what was shown stays.
  template <class Data>
  void ask(const QString& channel, std::function<Data(store::Store&)> read,
           std::function<void(std::shared_ptr<const Data>)> show) {
    begin_question(channel);
    quick_.insert(channel);
    loader_.ask<Data>(this, channel, std::move(read), answer<Data>(channel, std::move(show)), no_answer(channel));
  }

  /// The same of what may take seconds (Loader::ask_long).
  template <class Data>
  void ask_long(const QString& channel, std::function<Data(store::Store&, const Job&)> read,
                std::function<void(std::shared_ptr<const Data>)> show) {
    begin_question(channel);
    loader_.ask_long<Data>(this, channel, std::move(read), answer<Data>(channel, std::move(show)), no_answer(channel));
  }

  /// Whether what was asked on this channel has no answer yet.
  bool is_open(const QString& channel) const;
  /// Says something above the page.
  void say(const QString& words);
  /// Where a page puts its widgets.
  QVBoxLayout* content() const { return content_; }

  void showEvent(QShowEvent* event) override;
  /// What is quickly read is forgotten where nobody sees it, so that the next page does not wait; imports go on.
  void hideEvent(QHideEvent* event) override;

 private:
  /// What becomes of an answer, and of a failure in its place.
  template <class Data>
  auto answer(const QString& channel, std::function<void(std::shared_ptr<const Data>)> show) {
    return [this, channel, show = std::move(show)](std::shared_ptr<const Data> data) {
      close_question(channel);  // `show` may ask again
      say({});
      show(std::move(data));
      tell_ready();
    };
  }
  Loader::Failed no_answer(const QString& channel) {
    return [this, channel](const Failure& failure) {
      close_question(channel);
      say(QString::fromStdString(failure.what()));
      tell_ready();
    };
  }

  void begin_question(const QString& channel);
  void close_question(const QString& channel);
  void tell_ready();

  Session& session_;
  Loader& loader_;
  QLabel* words_;
  QVBoxLayout* content_;
  bool stale_ = true;
  std::vector<QString> open_;  ///< channels without an answer
  std::set<QString> quick_;    ///< channels of the quick thread
};

}  // namespace lockstep::gui
