#include "gui/core/view_state.h"

#include <fmt/format.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "adapters/contract/failure.h"
#include "gui/core/text.h"

namespace lockstep::gui {
namespace {

constexpr int kVersion = 1;

struct TextMember {
  const char* key;
  std::string ViewState::*member;
};
constexpr TextMember kTexts[] = {{"page", &ViewState::page},           {"campaign", &ViewState::campaign},
                                 {"filter", &ViewState::filter},       {"cell", &ViewState::cell},
                                 {"launch", &ViewState::launch},       {"base", &ViewState::base},
                                 {"compare_a", &ViewState::compare_a}, {"compare_b", &ViewState::compare_b}};

[[noreturn]] void refuse_view(const std::string& file, const std::string& place, const std::string& rule) {
  refuse({file, place, "", rule, "save the view again from the program: View, Save view"});
}

std::string text_of(const QJsonValue& value, const std::string& file, const std::string& place) {
  if (!value.isString()) refuse_view(file, place, "is not a text");
  return utf8(value.toString());
}

QJsonObject object_of(const QJsonObject& parent, const char* key, const std::string& file) {
  const QJsonValue value = parent.value(key);
  if (!value.isUndefined() && !value.isObject()) refuse_view(file, key, "is not an object");
  return value.toObject();
}

}  // namespace

QByteArray to_json(const ViewState& view) {
  QJsonObject out{{"format", "lockstep.view"}, {"version", kVersion}};
  for (const TextMember& text : kTexts) {
    if (!(view.*text.member).empty()) out[text.key] = qt(view.*text.member);
  }
  QJsonArray hidden;
  for (const std::string& cell : view.hidden) hidden.append(qt(cell));
  QJsonObject options, zooms;
  for (const auto& [key, value] : view.options) options[qt(key)] = qt(value);
  for (const auto& [key, range] : view.zooms) zooms[qt(key)] = QJsonArray{range.first, range.second};
  if (!hidden.isEmpty()) out["hidden"] = hidden;
  if (!options.isEmpty()) out["options"] = options;
  if (!zooms.isEmpty()) out["zooms"] = zooms;
  return QJsonDocument(out).toJson();
}

ViewState read_view(const QByteArray& json, const std::string& file) {
  QJsonParseError error;
  const QJsonDocument document = QJsonDocument::fromJson(json, &error);
  if (!document.isObject()) {
    refuse_view(file, fmt::format("byte {}", error.offset),
                error.error == QJsonParseError::NoError ? "is not a JSON object" : utf8(error.errorString()));
  }
  const QJsonObject object = document.object();
  if (object["format"].toString() != "lockstep.view") refuse_view(file, "format", "is not \"lockstep.view\"");
  if (object["version"].toInt() != kVersion) refuse_view(file, "version", fmt::format("is not {}", kVersion));
  ViewState out;
  for (const TextMember& text : kTexts) {
    if (object.contains(text.key)) out.*text.member = text_of(object[text.key], file, text.key);
  }
  const QJsonValue hidden = object["hidden"];
  if (!hidden.isUndefined() && !hidden.isArray()) refuse_view(file, "hidden", "is not a list");
  for (const QJsonValue& cell : hidden.toArray()) out.hidden.insert(text_of(cell, file, "hidden"));
  const QJsonObject options = object_of(object, "options", file), zooms = object_of(object, "zooms", file);
  for (auto it = options.begin(); it != options.end(); ++it) {
    out.options[utf8(it.key())] = text_of(it.value(), file, "options." + utf8(it.key()));
  }
  for (auto it = zooms.begin(); it != zooms.end(); ++it) {
    const QJsonArray range = it.value().toArray();
    if (range.size() != 2 || !range[0].isDouble() || !range[1].isDouble()) {
      refuse_view(file, "zooms." + utf8(it.key()), "is not a list of two numbers");
    }
    out.zooms[utf8(it.key())] = {range[0].toDouble(), range[1].toDouble()};
  }
  return out;
}

ViewState load_view(const std::string& file) {
  QFile in(qt(file));
  if (!in.open(QIODevice::ReadOnly)) {
    refuse({file, "", "", "cannot be read: " + utf8(in.errorString()), "name a view that was saved from the program"});
  }
  return read_view(in.readAll(), file);
}

}  // namespace lockstep::gui
