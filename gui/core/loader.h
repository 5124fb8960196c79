#pragma once

#include <QObject>
#include <QThread>
#include <functional>
#include <memory>
#include <string>

#include "adapters/contract/failure.h"
#include "results/store/store.h"

namespace lockstep::gui {

/// Reads the store on a thread of its own, through one read-only connection. Models never query: a page asks for plain
/// data and gets it by one call, in the thread that asked.
class Loader : public QObject {
  Q_OBJECT
 public:
  /// `path` is opened by the first question; what is wrong with it is told by its answer.
  explicit Loader(std::string path);
  ~Loader() override;

  const std::string& path() const { return path_; }

  /// A failure in words, or nothing.
  using Failed = std::function<void(const Failure&)>;

  /// Runs `read` on the store and hands its result to `show`, unless `receiver` is gone or has asked for something
  /// else on `channel` meanwhile: a newer question ends the older one, also in the middle of a query.
  template <class Data>
  void ask(QObject* receiver, const QString& channel, std::function<Data(store::Store&)> read,
           std::function<void(std::shared_ptr<const Data>)> show, Failed failed) {
    auto result = std::make_shared<Data>();
    enqueue(
        receiver, channel, [result, read = std::move(read)](store::Store& store) { *result = read(store); },
        [result, show = std::move(show)] { show(result); }, std::move(failed));
  }

  /// Whether questions are open.
  bool busy() const { return open_ > 0; }

 Q_SIGNALS:
  /// What is being read; empty: nothing.
  void reading(const QString& what);
  /// Another program has written to the store since the last answer.
  void store_changed();

 public Q_SLOTS:
  /// Looks whether the store has changed: cheap, for a timer.
  void look();

 private:
  struct Worker;

  void enqueue(QObject* receiver, const QString& channel, std::function<void(store::Store&)> read,
               std::function<void()> show, Failed failed);

  std::string path_;
  QThread thread_;
  Worker* worker_;  ///< lives in thread_
  int open_ = 0;
};

}  // namespace lockstep::gui
