#pragma once

#include <QLayout>
#include <memory>
#include <vector>

namespace lockstep::gui {

/// Widgets in a row as wide as they want to be, which goes on in the next line where there is no room.
class FlowLayout : public QLayout {
 public:
  FlowLayout();
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override;
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return place({0, 0, width, 0}, false); }
  void setGeometry(const QRect& rect) override;
  QSize sizeHint() const override { return minimumSize(); }
  QSize minimumSize() const override;

 private:
  /// The height that is taken; `moves`: the widgets go there.
  int place(const QRect& rect, bool moves) const;

  std::vector<std::unique_ptr<QLayoutItem>> items_;
};

}  // namespace lockstep::gui
