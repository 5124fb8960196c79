#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "results/store/rows.h"

/// The rows of a launch as JSON, named as the columns of the store. One list of fields serves both directions: `visit`
/// gets each name with its member.
namespace lockstep::collect {

using Json = nlohmann::ordered_json;

template <class Row, class Visit>
void campaign_fields(Row& r, Visit visit) {
  visit("id", r.id), visit("number", r.number), visit("suite", r.suite), visit("suite_json", r.suite_json);
  visit("command_line", r.command_line), visit("planned_launches", r.planned_launches);
  visit("started_utc_ns", r.started_utc_ns), visit("host", r.host), visit("user", r.user), visit("version", r.version);
}

template <class Row, class Visit>
void cell_fields(Row& r, Visit visit) {
  visit("text", r.text), visit("workload", r.workload), visit("system", r.system), visit("strategy", r.strategy);
  visit("fabric", r.fabric), visit("ranks", r.ranks), visit("workload_json", r.workload_json);
  visit("strategy_json", r.strategy_json);
}

/// What is known of a launch before it starts; its mode is written as a word.
template <class Row, class Visit>
void launch_fields(Row& r, Visit visit) {
  visit("id", r.id), visit("campaign", r.campaign), visit("number", r.number), visit("cell", r.cell);
  visit("repetition", r.repetition), visit("block", r.block), visit("seed", r.seed), visit("steps", r.steps);
  visit("warmup", r.warmup), visit("threads", r.threads), visit("started_utc_ns", r.started_utc_ns);
  visit("load_before", r.load_before), visit("run_folder", r.run_folder), visit("git_json", r.git_json);
  visit("marks", r.marks);
}

/// What is known after its end; its status is written as a word.
template <class Row, class Visit>
void outcome_fields(Row& r, Visit visit) {
  visit("error_kind", r.error_kind), visit("error_message", r.error_message), visit("ended_by", r.ended_by);
  visit("ended_utc_ns", r.ended_utc_ns), visit("started_mono_ns", r.started_mono_ns);
  visit("ended_mono_ns", r.ended_mono_ns), visit("load_after", r.load_after), visit("bad_events", r.bad_events);
  visit("bad_events_text", r.bad_events_text), visit("supervisor_json", r.supervisor_json);
}

template <class Row, class Visit>
void system_fields(Row& r, Visit visit) {
  visit("name", r.name), visit("manifest_json", r.manifest_json), visit("probe_json", r.probe_json);
  visit("claims_json", r.claims_json);
}

template <class Row, class Visit>
void process_fields(Row& r, Visit visit) {
  visit("rank", r.rank), visit("role", r.role), visit("host", r.host), visit("pid", r.pid);
  visit("exit_code", r.exit_code), visit("signal", r.signal), visit("peak_rss_bytes", r.peak_rss_bytes);
  visit("peak_pss_bytes", r.peak_pss_bytes), visit("device_bytes", r.device_bytes);
}

template <class Row, class Visit>
void series_fields(Row& r, Visit visit) {
  visit("rank", r.rank), visit("name", r.name), visit("unit", r.unit), visit("values", r.values);
}

template <class Row, class Visit>
void evaluation_fields(Row& r, Visit visit) {
  visit("rank", r.rank), visit("step", r.step), visit("samples_seen", r.samples_seen), visit("metric", r.metric);
  visit("value", r.value), visit("weights", r.weights), visit("mono_ns", r.mono_ns);
}

template <class Row, class Visit>
void memory_fields(Row& r, Visit visit) {
  visit("rank", r.rank), visit("category", r.category), visit("bytes", r.bytes), visit("peak_bytes", r.peak_bytes);
}

template <class Row, class Visit>
void metric_fields(Row& r, Visit visit) {
  visit("rank", r.rank), visit("step", r.step), visit("name", r.name), visit("unit", r.unit), visit("value", r.value);
}

template <class Row, class Visit>
void fingerprint_fields(Row& r, Visit visit) {
  visit("step", r.step), visit("tensor", r.tensor), visit("parameter_norm", r.parameter_norm);
  visit("gradient_norm", r.gradient_norm);
}

template <class Row, class Visit>
void artifact_fields(Row& r, Visit visit) {
  visit("kind", r.kind), visit("path", r.path), visit("format", r.format), visit("bytes", r.bytes);
  visit("hash", r.hash);
}

/// Numbers that JSON lacks are the strings of the adapter contract.
inline Json number_json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

inline double number_from(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  const auto& text = json.get_ref<const std::string&>();
  if (text == "NaN") return std::nan("");
  return text == "Infinity" ? HUGE_VAL : text == "-Infinity" ? -HUGE_VAL : json.get<double>();
}

/// Writes a field. What is missing is absent.
struct Put {
  Json& json;

  template <class T>
  void operator()(const char* name, const T& value) const {
    json[name] = value;
  }
  void operator()(const char* name, double value) const { json[name] = number_json(value); }
  template <class T>
  void operator()(const char* name, const std::optional<T>& value) const {
    if (value) (*this)(name, *value);
  }
  /// Whole numbers stay whole: their list alone has no fraction to tell them by.
  void operator()(const char* name, const decltype(store::SeriesRow::values)& values) const {
    json["type"] = values.index() == 0 ? "double" : "int64";
    Json list = Json::array();
    if (const auto* doubles = std::get_if<std::vector<double>>(&values)) {
      for (const double value : *doubles) list.push_back(number_json(value));
    } else {
      for (const int64_t value : std::get<std::vector<int64_t>>(values)) list.push_back(value);
    }
    json[name] = std::move(list);
  }
};

/// Reads one. Throws Json::exception where it is missing or of another type.
struct Get {
  const Json& json;

  template <class T>
  void operator()(const char* name, T& value) const {
    json.at(name).get_to(value);
  }
  void operator()(const char* name, double& value) const { value = number_from(json.at(name)); }
  template <class T>
  void operator()(const char* name, std::optional<T>& value) const {
    if (!json.contains(name)) return;
    (*this)(name, value.emplace());
  }
  void operator()(const char* name, decltype(store::SeriesRow::values)& values) const {
    if (json.at("type") == "int64") {
      values = json.at(name).get<std::vector<int64_t>>();
      return;
    }
    std::vector<double> doubles;
    for (const Json& value : json.at(name)) doubles.push_back(number_from(value));
    values = std::move(doubles);
  }
};

}  // namespace lockstep::collect
