#include "harness/supervisor/order.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_words.h"
#include "harness/supervisor/whole_file.h"

namespace lockstep::supervisor {
namespace {

using Json = nlohmann::json;

void write_json(const std::string& path, const Json& document) {
  write_whole(path, document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Json to_json(const Command& c) {
  return {{"name", c.name}, {"arguments", c.arguments}, {"environment", c.environment}, {"out", c.out}, {"err", c.err}};
}

Command command_of(const Json& j) {
  return {j.at("name"), j.at("arguments"), j.at("environment"), j.at("out"), j.at("err")};
}

Json to_json(const Exit& e) {
  Json j{{"name", e.name}, {"pid", e.pid}, {"peak_rss_bytes", e.peak_rss_bytes}};
  if (e.code) j["code"] = *e.code;
  if (e.signal) j["signal"] = *e.signal;
  return j;
}

Exit exit_of(const Json& j) {
  Exit e{j.at("name"), j.at("pid"), {}, {}, j.at("peak_rss_bytes")};
  if (j.contains("code")) e.code = j["code"].get<int64_t>();
  if (j.contains("signal")) e.signal = j["signal"].get<int64_t>();
  return e;
}

}  // namespace

void write_order(const std::string& folder, const Order& order) {
  Json commands = Json::array();
  for (const Command& c : order.commands) commands.push_back(to_json(c));
  const Deadlines& d = order.deadlines;
  write_json(folder + "/" + kOrderFile, {{"launch_id", order.launch_id},
                                         {"commands", commands},
                                         {"event_files", order.event_files},
                                         {"watch_memory", order.watch_memory},
                                         {"deadlines",
                                          {{"start", d.start},
                                           {"prepare", d.prepare},
                                           {"idle", d.idle},
                                           {"step", d.step},
                                           {"stop", d.stop},
                                           {"whole", d.whole}}}});
}

Order read_order(const std::string& folder) {
  const std::string path = folder + "/" + kOrderFile;
  std::ifstream file(path);
  if (!file) throw Failure("setup", path + ": cannot be read");
  try {
    const Json j = Json::parse(file);
    Order order{j.at("launch_id"), {}, j.at("event_files"), {}};
    for (const Json& c : j.at("commands")) order.commands.push_back(command_of(c));
    const Json& d = j.at("deadlines");
    order.deadlines = {d.at("start"), d.at("prepare"), d.at("idle"), d.at("step"), d.at("stop"), d.at("whole")};
    order.watch_memory = j.at("watch_memory");
    return order;
  } catch (const Json::exception& error) {
    throw Failure("setup", path + ": " + json_words(error.what()));
  }
}

void write_report(const std::string& folder, const Report& r) {
  Json exits = Json::array();
  for (const Exit& e : r.exits) exits.push_back(to_json(e));
  write_json(folder + "/" + kReportFile, {{"launch_id", r.launch_id},
                                          {"exits", exits},
                                          {"start_error", r.start_error},
                                          {"ended_by", r.ended_by},
                                          {"waiting", r.waiting},
                                          {"needed", r.needed},
                                          {"left_behind", r.left_behind},
                                          {"left", r.left},
                                          {"started_utc_ns", r.started_utc_ns},
                                          {"ended_utc_ns", r.ended_utc_ns},
                                          {"started_mono_ns", r.started_mono_ns},
                                          {"ended_mono_ns", r.ended_mono_ns},
                                          {"peak_tree_rss_bytes", r.peak_tree_rss_bytes}});
}

std::optional<Report> read_report(const std::string& folder) {
  std::ifstream file(folder + "/" + kReportFile);
  if (!file) return std::nullopt;
  try {
    const Json j = Json::parse(file);
    Report r{j.at("launch_id"),
             {},
             j.at("start_error"),
             j.at("ended_by"),
             j.at("waiting"),
             j.at("needed"),
             j.at("left_behind"),
             j.at("left"),
             j.at("started_utc_ns"),
             j.at("ended_utc_ns"),
             j.at("started_mono_ns"),
             j.at("ended_mono_ns"),
             j.value("peak_tree_rss_bytes", int64_t{0})};  // run folders of before may be imported
    for (const Json& e : j.at("exits")) r.exits.push_back(exit_of(e));
    return r;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace lockstep::supervisor
