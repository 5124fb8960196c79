#include "gui/core/loader.h"

#include <QMetaObject>
#include <QPointer>
#include <map>
#include <mutex>
#include <optional>

namespace lockstep::gui {

/// The store and the newest question of each channel. Only `newest_`, `running_` and `store_` are shared with the
/// thread that asks: the latter so that it can interrupt a query.
struct Loader::Worker : QObject {
  explicit Worker(std::string path) : path_(std::move(path)) {}

  struct Question {
    QString channel;
    uint64_t number = 0;
  };

  uint64_t begin(const QString& channel) {
    const std::lock_guard lock(mutex_);
    const uint64_t number = ++numbers_;
    newest_[channel] = number;
    if (running_ && running_->channel == channel && store_) store_->interrupt();
    return number;
  }

  bool is_newest(const Question& question) {
    const std::lock_guard lock(mutex_);
    return newest_[question.channel] == question.number;
  }

  /// Ends what is running.
  void stop() {
    const std::lock_guard lock(mutex_);
    if (!running_) return;
    stopped_ = running_->number;
    if (store_) store_->interrupt();
  }

  /// Throws where nobody wants the answer any more.
  void check_wanted(const Question& question) {
    const std::lock_guard lock(mutex_);
    if (newest_[question.channel] == question.number && stopped_ != question.number) return;
    throw Failure("interrupted", "Reading was stopped. View, Read again begins it anew.");
  }

  /// Empty where all went well; a failure, also "interrupted".
  std::optional<Failure> run(const Question& question, const std::function<void(store::Store&, const Job&)>& read,
                             const Job& job) {
    try {
      open();
      {
        const std::lock_guard lock(mutex_);
        running_ = question;
        store_->answer_again();
      }
      check_wanted(question);
      read(*store_, job);
      end();
      return std::nullopt;
    } catch (const Failure& failure) {
      end();
      return failure;
    } catch (const std::exception& error) {
      end();
      return Failure("internal", error.what());
    }
  }

  bool changed() {
    if (!store_) return false;
    try {
      const int64_t version = store_->data_version();
      const bool is = version_ != 0 && version != version_;
      version_ = version;
      return is;
    } catch (const Failure&) {
      return false;  // the next question tells what is wrong
    }
  }

 private:
  void open() {
    if (store_) return;
    store::Store opened = store::Store::open(path_, store::OpenMode::read_only);
    const std::lock_guard lock(mutex_);
    store_ = std::move(opened);
    version_ = store_->data_version();
  }

  void end() {
    const std::lock_guard lock(mutex_);
    running_.reset();
  }

  std::string path_;
  std::mutex mutex_;
  std::optional<store::Store> store_;
  std::optional<Question> running_;
  std::map<QString, uint64_t> newest_;
  uint64_t numbers_ = 0, stopped_ = 0;
  int64_t version_ = 0;
};

namespace {
QString key_of(const QObject* receiver, const QString& channel) {
  return QString("%1 %2").arg(reinterpret_cast<quintptr>(receiver)).arg(channel);
}
}  // namespace

Loader::Loader(std::string path) : path_(std::move(path)) {
  begin(quick_, "loader");
  begin(long_, "long loader");
}

void Loader::begin(Lane& lane, const char* name) {
  lane.worker = new Worker(path_);
  lane.worker->moveToThread(&lane.thread);
  connect(&lane.thread, &QThread::finished, lane.worker, &QObject::deleteLater);
  lane.thread.setObjectName(name);
  lane.thread.start();
}

Loader::~Loader() {
  long_.worker->stop();
  for (Lane* lane : {&quick_, &long_}) {
    lane->thread.quit();
    lane->thread.wait();
  }
}

void Loader::enqueue(Lane& lane, QObject* receiver, const QString& channel,
                     std::function<void(store::Store&, const Job&)> read, std::function<void()> show, Failed failed) {
  const QString key = key_of(receiver, channel);
  const Worker::Question question{key, lane.worker->begin(key)};
  ++open_;
  Q_EMIT reading(channel);
  QMetaObject::invokeMethod(
      lane.worker, [this, channel, worker = lane.worker, question, target = QPointer<QObject>(receiver),
                    read = std::move(read), show = std::move(show), failed = std::move(failed)] {
        const auto tell = [this, channel](double share) {
          QMetaObject::invokeMethod(this, [this, channel, share] { Q_EMIT progress(channel, share); });
        };
        double told = -1;
        const Job job([&](double share) {
          worker->check_wanted(question);
          if (share < told + 0.01) return;
          told = share;
          tell(share);
        });
        const std::optional<Failure> failure = worker->run(question, read, job);
        if (told >= 0) tell(-1);
        QMetaObject::invokeMethod(this, [this, worker, question, failure, target, show, failed] {
          if (--open_ == 0) Q_EMIT reading({});
          if (target.isNull() || !worker->is_newest(question)) return;
          failure ? failed(*failure) : show();
        });
      });
}

void Loader::forget(QObject* receiver, const QString& channel) { quick_.worker->begin(key_of(receiver, channel)); }

void Loader::look() {
  QMetaObject::invokeMethod(quick_.worker, [this, worker = quick_.worker] {
    if (worker->changed()) QMetaObject::invokeMethod(this, [this] { Q_EMIT store_changed(); });
  });
}

void Loader::stop() { long_.worker->stop(); }

}  // namespace lockstep::gui
