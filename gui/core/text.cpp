#include "gui/core/text.h"

#include <QDateTime>

namespace lockstep::gui {

QString time_text(int64_t utc_ns) {
  return utc_ns == 0 ? QString() : QDateTime::fromMSecsSinceEpoch(utc_ns / 1'000'000).toString("yyyy-MM-dd HH:mm");
}

}  // namespace lockstep::gui
