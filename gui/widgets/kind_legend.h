#pragma once

#include <QWidget>
#include <vector>

#include "profiler/activity/activity.h"

namespace lockstep::gui {

/// What the colours and patterns of a timeline mean; wraps where it is narrow.
class KindLegend : public QWidget {
  Q_OBJECT
 public:
  explicit KindLegend(QWidget* parent = nullptr);
  void set_kinds(std::vector<activity::Kind> kinds, bool planned);

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;  ///< the longest entry is not cut

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Entry {
    QString text;
    activity::Kind kind;
    bool planned;
    QRect rect;
  };
  std::vector<Entry> placed(int width) const;

  std::vector<activity::Kind> kinds_;
  bool planned_ = false;
};

}  // namespace lockstep::gui
