#pragma once

#include <QObject>
#include <QThread>
#include <functional>
#include <memory>
#include <string>

#include "adapters/contract/failure.h"
#include "results/store/store.h"

namespace lockstep::gui {

/// What a long question can do beside reading.
class Job {
 public:
  using At = std::function<void(double share)>;

  Job() = default;
  explicit Job(At at) : at_(std::move(at)) {}
  /// So much of the work is done, from 0 to 1: it is shown. Throws Failure("interrupted") where somebody has stopped it
  /// or asked for something else. Cheap: to be called some hundred times a second.
  void at(double share) const {
    if (at_) at_(share);
  }

 private:
  At at_;
};

/// Reads the store on threads of its own, each through one read-only connection: one for what is there at once, one for
/// what takes long, such as the first import of a trace, so that no page waits for another one's. Models never query: a
/// page asks for plain data and gets it by one call, in the thread that asked.
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
        quick_, receiver, channel,
        [result, read = std::move(read)](store::Store& store, const Job&) { *result = read(store); },
        [result, show = std::move(show)] { show(result); }, std::move(failed));
  }

  /// The same of what may take seconds: it tells how far it is, and `stop` ends it.
  template <class Data>
  void ask_long(QObject* receiver, const QString& channel, std::function<Data(store::Store&, const Job&)> read,
                std::function<void(std::shared_ptr<const Data>)> show, Failed failed) {
    auto result = std::make_shared<Data>();
    enqueue(
        long_, receiver, channel,
        [result, read = std::move(read)](store::Store& store, const Job& job) { *result = read(store, job); },
        [result, show = std::move(show)] { show(result); }, std::move(failed));
  }

  /// Ends the quick question of `receiver` on `channel`, whose answer never comes: others need not wait for it.
  void forget(QObject* receiver, const QString& channel);

  /// Whether questions are open.
  bool busy() const { return open_ > 0; }

 Q_SIGNALS:
  /// What is being read; empty: nothing.
  void reading(const QString& what);
  /// How far a long question is, from 0 to 1; below 0: it is over.
  void progress(const QString& what, double share);
  /// Another program has written to the store since the last answer.
  void store_changed();

 public Q_SLOTS:
  /// Looks whether the store has changed: cheap, for a timer.
  void look();
  /// Ends the long question that is being answered: it fails with "interrupted".
  void stop();

 private:
  struct Worker;
  /// A thread with what works in it.
  struct Lane {
    QThread thread;
    Worker* worker = nullptr;  ///< lives in the thread
  };

  void begin(Lane& lane, const char* name);
  void enqueue(Lane& lane, QObject* receiver, const QString& channel,
               std::function<void(store::Store&, const Job&)> read, std::function<void()> show, Failed failed);

  std::string path_;
  Lane quick_, long_;
  int open_ = 0;
};

}  // namespace lockstep::gui
