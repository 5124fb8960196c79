#pragma once

#include <QByteArray>
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace lockstep::gui {

/// What a person is looking at: one value for all pages, so that a choice on one is seen on the others, can be undone,
/// saved and reopened. Later pages keep their choices in `options`, under "PAGE.CHOICE".
struct ViewState {
  std::string page = "overview";
  std::string campaign = "@last";              ///< selector of the campaign that is shown
  std::string filter;                          ///< of launches and cells, as typed (gui/core/filter.h)
  std::string cell;                            ///< the cell that is brushed: text of its row; empty: none
  std::string launch;                          ///< "@14.7": the launch that is looked into; empty: the page chooses
  std::string base;                            ///< cell that deltas are against; empty: none pinned
  std::string compare_a, compare_b;            ///< selectors of the two sides; empty: the page chooses
  std::set<std::string> hidden;                ///< texts of cells that charts leave out; never changes a number
  std::map<std::string, std::string> options;  ///< "scaling.metric" -> "time"
  std::map<std::string, std::pair<double, double>> zooms;  ///< "timeline.time" -> shown interval

  bool operator==(const ViewState&) const = default;

  /// Whether one of these options has another value than in `other`.
  bool differs_in(const ViewState& other, std::span<const char* const> keys) const {
    return std::any_of(keys.begin(), keys.end(),
                       [&](const char* key) { return option(key, "") != other.option(key, ""); });
  }

  std::string option(const std::string& key, const std::string& otherwise) const {
    const auto found = options.find(key);
    return found == options.end() ? otherwise : found->second;
  }
};

/// A saved view: one JSON document, format lockstep.view (docs/formats.md).
QByteArray to_json(const ViewState& view);
/// Throws Failure("usage") that names `file`, the member and what was expected.
ViewState read_view(const QByteArray& json, const std::string& file);
/// The same from the file.
ViewState load_view(const std::string& file);

}  // namespace lockstep::gui
