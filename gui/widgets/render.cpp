#include "gui/widgets/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollArea>
#include <QScrollBar>

#include "adapters/contract/failure.h"
#include "gui/core/text.h"
#include "gui/widgets/export.h"
#include "gui/widgets/main_window.h"
#include "gui/widgets/page_table.h"

namespace lockstep::gui {
namespace {

constexpr int kPatienceMs = 60'000;
constexpr QSize kUsual{1280, 720};
constexpr int kHighest = 20'000;

const PageRow& row_of(const std::string& id) {
  if (const PageRow* row = page_named(id)) return *row;
  std::vector<std::string> ids;
  for (const PageRow& row : pages()) ids.emplace_back(row.id);
  refuse({"", "--render", id, "is no page", fmt::format("one of {}", fmt::join(ids, ", "))});
}

void wait_for(const Page& page) {
  QElapsedTimer clock;
  clock.start();
  while (!page.ready()) {
    if (clock.elapsed() > kPatienceMs) throw Failure("deadline", "the page was not ready within a minute");
    QApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
  }
}

// Layouts and queued paints settle.
void settle() {
  for (int i = 0; i < 5; ++i) {
    QApplication::sendPostedEvents();
    QApplication::processEvents();
  }
}

// A page that scrolls is drawn whole.
void unroll(QWidget& widget) {
  for (int round = 0; round < 3; ++round) {
    int hidden = 0;
    for (QScrollArea* area : widget.findChildren<QScrollArea*>()) {
      if (area->isVisible()) hidden = std::max(hidden, area->verticalScrollBar()->maximum());
    }
    if (hidden == 0) return;
    widget.resize(widget.width(), std::min(kHighest, widget.height() + hidden));
    settle();
  }
}

void draw(QWidget& widget, const Page& page, const Rendering& rendering) {
  widget.resize(rendering.size.isEmpty() ? kUsual : rendering.size);
  widget.show();
  wait_for(page);
  settle();
  if (rendering.size.isEmpty() && !rendering.window) unroll(widget);
  settle();
  paint_to_file(widget, rendering.file, rendering.scale);
}

}  // namespace

void render(const Rendering& rendering) {
  const PageRow& row = row_of(rendering.view.page);
  store::Store::open(rendering.store,
                     store::OpenMode::read_only);  // says what is wrong with it before anything is drawn
  if (rendering.window) {
    MainWindow window(rendering.store, Remembered::no);
    window.session().replace(rendering.view);
    return draw(window, *window.page(), rendering);
  }
  Session session;
  session.replace(rendering.view);
  Loader loader(rendering.store);
  const std::unique_ptr<Page> page(row.make(session, loader));
  page->setAccessibleName(row.title);
  draw(*page, *page, rendering);
}

}  // namespace lockstep::gui
