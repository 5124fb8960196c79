#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QSettings>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "adapters/contract/failure.h"
#include "gui/core/text.h"
#include "gui/widgets/main_window.h"
#include "gui/widgets/page_table.h"
#include "gui/widgets/render.h"
#include "gui/widgets/start_window.h"
#include "gui/widgets/theme.h"

namespace {

using lockstep::Failure;
using lockstep::refuse;
using namespace lockstep::gui;

constexpr int kUsage = 2, kSetup = 3;  // as for every program of ours (docs/errors.md)

const QCommandLineOption kRender("render", "draw PAGE into --out and end; needs no display", "PAGE");
const QCommandLineOption kOut("out", "with --render: FILE.png, FILE.svg or FILE.pdf", "FILE");
const QCommandLineOption kView("view", "a view that was saved from the program", "FILE");
const QCommandLineOption kTheme("theme", "light or dark (default: as last time)", "THEME");
const QCommandLineOption kSize("size", "with --render: pixels, for example 1280x720 (default: the whole page)", "WxH");
const QCommandLineOption kScale("scale", "with --render: pixels of a PNG for one of the page (default 1)", "FACTOR");
const QCommandLineOption kWindow("window", "with --render: the whole window around the page");

void describe(QCommandLineParser& parser) {
  QString list;
  for (const PageRow& page : pages()) list += QString("\n  %1  %2").arg(page.id, -12).arg(page.what);
  parser.setApplicationDescription(
      "Shows a results store: throughput, scaling, statistical efficiency, timelines.\n\n"
      "Pages:" +
      list);
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(
      "STORE", "results store (default: LOCKSTEP_STORE, else ./lockstep.db, else the last one used)", "[STORE]");
  for (const auto* option : {&kRender, &kOut, &kView, &kTheme, &kSize, &kScale, &kWindow}) parser.addOption(*option);
}

const char* const kUsualStore = "lockstep.db";

QString last_store() { return QSettings().value("store").toString(); }

/// Empty: nobody named one, and there is none where one is looked for.
std::string store_of(const QCommandLineParser& parser) {
  const QStringList given = parser.positionalArguments();
  if (given.size() > 1) refuse({"", "STORE", utf8(given[1]), "one store at a time", "lockstep-gui --help"});
  if (!given.isEmpty()) return utf8(given[0]);
  const QString variable = qEnvironmentVariable("LOCKSTEP_STORE");
  if (!variable.isEmpty()) return utf8(variable);
  if (QFileInfo::exists(kUsualStore)) return kUsualStore;
  return QFileInfo::exists(last_store()) ? utf8(last_store()) : "";
}

Theme theme_of(const QCommandLineParser& parser) {
  const QString text = parser.isSet(kTheme)    ? parser.value(kTheme)
                       : parser.isSet(kRender) ? QString("light")
                                               : QSettings().value("theme").toString();
  if (text == "dark") return Theme::dark;
  if (text == "light") return Theme::light;
  if (parser.isSet(kTheme)) refuse({"", "--theme", utf8(text), "is neither light nor dark", "--theme dark"});
  const bool dark = QApplication::palette().color(QPalette::Window).lightness() < 128;  // Qt 6.4 cannot be asked
  return dark ? Theme::dark : Theme::light;
}

QSize size_of(const QString& text) {
  if (text.isEmpty()) return {};
  const QStringList parts = text.split('x');
  const QSize size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
  if (size.isEmpty() || size.width() > 20'000 || size.height() > 20'000) {
    refuse({"", "--size", utf8(text), "is no width and height in pixels, at most 20000 each", "--size 1280x720"});
  }
  return size;
}

void render_page(const QCommandLineParser& parser) {
  if (!parser.isSet(kOut)) refuse({"", "--out", "", "is missing", "--render overview --out overview.png"});
  Rendering out;
  out.store = store_of(parser);
  if (out.store.empty()) out.store = kUsualStore;  // refused in words
  if (parser.isSet(kView)) out.view = load_view(utf8(parser.value(kView)));
  out.view.page = utf8(parser.value(kRender));
  out.file = utf8(parser.value(kOut));
  out.size = size_of(parser.value(kSize));
  out.window = parser.isSet(kWindow);
  if (parser.isSet(kScale)) {
    bool is = false;
    out.scale = parser.value(kScale).toDouble(&is);
    if (!is || !(out.scale >= 0.25 && out.scale <= 8)) {
      refuse({"", "--scale", utf8(parser.value(kScale)), "is no factor from 0.25 to 8", "--scale 2"});
    }
  }
  render(out);
}

/// Opens windows, one after the other, as stores are chosen.
class Program {
 public:
  Program(QApplication& application, const QCommandLineParser& parser) : application_(application) {
    if (parser.isSet(kView)) view_ = load_view(utf8(parser.value(kView)));
    const std::string store = store_of(parser);
    if (store.empty()) {
      show(std::make_unique<StartWindow>(QDir::currentPath(), last_store()), &StartWindow::open_wanted);
    } else {
      open(store);
    }
  }

 private:
  void open(const std::string& store) {
    lockstep::store::Store::open(store, lockstep::store::OpenMode::read_only);  // refused in words, or it works
    QSettings().setValue("store", QFileInfo(qt(store)).absoluteFilePath());
    auto next = std::make_unique<MainWindow>(store);
    QObject::connect(next.get(), &MainWindow::theme_wanted, [this](bool dark) {
      QSettings().setValue("theme", dark ? "dark" : "light");
      use_theme(application_, dark ? Theme::dark : Theme::light);
    });
    if (view_) next->session().replace(*view_);
    view_.reset();
    show(std::move(next), &MainWindow::open_wanted);
  }

  /// In place of the window that is there.
  template <class Window>
  void show(std::unique_ptr<Window> window, void (Window::*open_wanted)(const QString&)) {
    QObject::connect(
        window.get(), open_wanted, window.get(),
        [this](const QString& file) {
          try {
            open(utf8(file));
          } catch (const Failure& failure) {
            QMessageBox::warning(window_.get(), "Open store", QString::fromStdString(failure.what()));
          }
        },
        Qt::QueuedConnection);
    window->show();
    std::unique_ptr<QMainWindow> before = std::exchange(window_, std::move(window));
    if (before) before.release()->deleteLater();
  }

  QApplication& application_;
  std::optional<ViewState> view_;  ///< for the first store
  std::unique_ptr<QMainWindow> window_;
};

// Where no display can be reached, Qt explains its plugins at length and aborts: one line says it, and what to do.
void say_start(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  static QString why;
  if (type == QtFatalMsg) {
    std::fprintf(stderr,
                 "lockstep-gui: no display: %s; log in to a desktop, or look at a page: lockstep report --format html, "
                 "lockstep-gui --render overview --out overview.png STORE\n",
                 qPrintable(why.isEmpty() ? text.section('\n', 0, 0) : why));
    std::_Exit(kSetup);
  }
  if (QByteArray(context.category).startsWith("qt.qpa.")) {
    if (why.isEmpty()) why = text.trimmed();
    return;
  }
  std::fprintf(stderr, "%s\n", qPrintable(text));
}

// What Qt's plugin without a display warns of (no session, no window manager) is what a picture does without.
void say_errors(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type == QtCriticalMsg || type == QtFatalMsg) std::fprintf(stderr, "lockstep-gui: %s\n", qPrintable(text));
}

bool wants_picture(int count, char** arguments) {
  for (int i = 1; i < count; ++i) {
    const QByteArray argument(arguments[i]);
    if (argument == "--render" || argument.startsWith("--render=") || argument == "--help" || argument == "-h" ||
        argument == "--version") {
      return true;
    }
  }
  return false;
}

int run(QApplication& application, const QCommandLineParser& parser) {
  use_theme(application, theme_of(parser));
  if (parser.isSet(kRender)) {
    render_page(parser);
    return 0;
  }
  const Program program(application, parser);
  return QApplication::exec();
}

}  // namespace

int main(int count, char** arguments) {
  // A picture needs no display, and looks the same on every machine.
  const bool picture = wants_picture(count, arguments);
  if (picture) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QLocale::setDefault(QLocale::c());
  }
  qInstallMessageHandler(picture ? say_errors : say_start);
  QApplication application(count, arguments);
  if (!picture) qInstallMessageHandler(nullptr);
  QApplication::setApplicationName("lockstep-gui");
  QApplication::setOrganizationName("lockstep");
  QApplication::setApplicationVersion(QString("%1, Qt %2").arg(LOCKSTEP_VERSION, qVersion()));
  QApplication::setDesktopFileName("lockstep-gui");
  QCommandLineParser parser;
  describe(parser);
  parser.process(application);
  try {
    return run(application, parser);
  } catch (const Failure& failure) {
    std::fprintf(stderr, "lockstep-gui: %s\n", failure.what());
    const bool seen = QApplication::platformName() != "offscreen";
    if (seen) QMessageBox::critical(nullptr, "Lockstep", QString::fromStdString(failure.what()));
    return failure.kind() == "usage" ? kUsage : kSetup;
  }
}
