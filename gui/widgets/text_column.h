#pragma once

#include <QWidget>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace lockstep::gui {

/// Paragraphs below each other. New texts go into the labels that are there, so that nothing flickers and what is
/// selected stays where it has not changed. Links are opened by a click, or by Tab and Enter.
class TextColumn : public QWidget {
  Q_OBJECT
 public:
  explicit TextColumn(QWidget* parent = nullptr);
  /// Rich texts (labels.h: escaped).
  void set_texts(const std::vector<QString>& texts);
  /// What a screen reader says of a paragraph with a link.
  void set_link_words(const QString& words) { link_words_ = words; }

 Q_SIGNALS:
  void link_opened(const QString& target);

 private:
  QVBoxLayout* column_;
  std::vector<QLabel*> labels_;
  QString link_words_;
};

}  // namespace lockstep::gui
