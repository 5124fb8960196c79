#pragma once

#include <QWidget>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace lockstep::gui {

/// Paragraphs below each other. New texts go into the labels that are there, so that nothing flickers and what is
/// selected stays where it has not changed.
class TextColumn : public QWidget {
  Q_OBJECT
 public:
  explicit TextColumn(QWidget* parent = nullptr);
  /// Rich texts (labels.h: escaped).
  void set_texts(const std::vector<QString>& texts);

 private:
  QVBoxLayout* column_;
  std::vector<QLabel*> labels_;
};

}  // namespace lockstep::gui
