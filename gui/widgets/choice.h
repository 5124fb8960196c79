#pragma once

#include <QWidget>
#include <utility>
#include <vector>

#include "gui/core/session.h"

class QComboBox;

namespace lockstep::gui {

/// Entries that are called what they are.
std::vector<std::pair<std::string, QString>> entries_of(const std::vector<std::string>& values);

/// A labelled choice of a page, kept in the view's options: seen by other pages, saved, undone.
class Choice : public QWidget {
  Q_OBJECT
 public:
  /// The first entry stands where the view says nothing. An entry is its value and how it is called.
  Choice(Session& session, std::string option, const QString& label,
         std::vector<std::pair<std::string, QString>> entries);

  std::string value() const;
  /// Other entries; the choice stays where it is still among them.
  void set_entries(std::vector<std::pair<std::string, QString>> entries);

 private:
  void follow();

  Session& session_;
  std::string option_;
  std::vector<std::pair<std::string, QString>> entries_;
  QComboBox* box_;
};

}  // namespace lockstep::gui
