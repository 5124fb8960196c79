#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "gui/core/loader.h"
#include "gui/core/session.h"

class QComboBox;
class QLineEdit;

namespace lockstep::gui {

/// Which campaign is shown, and the filter of all pages.
class CampaignBar : public QWidget {
  Q_OBJECT
 public:
  CampaignBar(Session& session, Loader& loader);

 public Q_SLOTS:
  void focus_filter();

 Q_SIGNALS:
  void refused(const QString& words);

 private:
  struct Entry {
    std::string selector, label, tip;
  };
  static std::vector<Entry> read(store::Store& store);
  void refresh();
  void show_entries(const std::vector<Entry>& entries);
  void follow();
  void filter_typed();

  Session& session_;
  Loader& loader_;
  QComboBox* campaign_;
  QLineEdit* filter_;
};

}  // namespace lockstep::gui
