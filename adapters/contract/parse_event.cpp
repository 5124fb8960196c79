#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "adapters/contract/events.h"
#include "adapters/contract/failure.h"

/// Lines of JSON to events; writing is in events.cpp.
namespace lockstep::contract {
namespace {

using json = nlohmann::ordered_json;

[[noreturn]] void wrong(const char* key, const char* rule) {
  throw Failure("bad_events", fmt::format("{}: {}", key, rule));
}

const json& member(const json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end()) wrong(key, "is missing");
  return *found;
}

int64_t to_integer(const json& value, const char* key) {
  if (!value.is_number_integer()) wrong(key, "must be an integer");
  return value.get<int64_t>();
}

double to_real(const json& value, const char* key) {
  if (value.is_number()) return value.get<double>();
  if (value == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity") return std::numeric_limits<double>::infinity();
  if (value == "-Infinity") return -std::numeric_limits<double>::infinity();
  wrong(key, "must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
}

std::string to_text(const json& value, const char* key) {
  if (!value.is_string()) wrong(key, "must be a text");
  return value.get<std::string>();
}

int64_t integer(const json& line, const char* key) { return to_integer(member(line, key), key); }
double real(const json& line, const char* key) { return to_real(member(line, key), key); }
std::string text(const json& line, const char* key) { return to_text(member(line, key), key); }

std::string text_or(const json& line, const char* key, const char* fallback) {
  return line.contains(key) ? text(line, key) : fallback;
}

std::optional<int64_t> maybe_integer(const json& line, const char* key) {
  return line.contains(key) ? std::optional(integer(line, key)) : std::nullopt;
}

template <class T>
std::map<std::string, T> map_of(const json& line, const char* key, T (*convert)(const json&, const char*)) {
  std::map<std::string, T> out;
  if (!line.contains(key)) return out;
  if (!line.at(key).is_object()) wrong(key, "must be an object");
  for (const auto& item : line.at(key).items()) out[item.key()] = convert(item.value(), key);
  return out;
}

EventBody parse_hello(const json& line) {
  Hello e;
  e.contract = static_cast<int>(integer(line, "contract"));
  e.worker = text(line, "worker");
  e.versions = map_of<std::string>(line, "versions", to_text);
  e.pid = integer(line, "pid");
  e.host = text_or(line, "host", "");
  e.rank = static_cast<int>(integer(line, "rank"));
  e.world = static_cast<int>(integer(line, "world"));
  e.role = text_or(line, "role", "worker");
  e.device = text_or(line, "device", "cpu");
  const json& clock = member(line, "clock");
  if (!clock.is_object()) wrong("clock", "must be an object");
  e.clock = {integer(clock, "monotonic_ns"), integer(clock, "utc_ns")};
  return e;
}

EventBody parse_ready(const json& line) {
  Ready e{integer(line, "parameters"), integer(line, "parameter_bytes"), std::nullopt};
  if (line.contains("flops_per_sample")) e.flops_per_sample = real(line, "flops_per_sample");
  return e;
}

EventBody parse_step(const json& line) {
  Step e;
  e.step = integer(line, "step");
  e.t0 = integer(line, "t0");
  e.t1 = integer(line, "t1");
  e.samples = integer(line, "samples");
  e.tokens = maybe_integer(line, "tokens").value_or(e.samples);
  e.loss = real(line, "loss");
  e.loss_weight = real(line, "loss_weight");
  e.bytes_sent = maybe_integer(line, "bytes_sent");
  e.messages = maybe_integer(line, "messages");
  e.staleness = maybe_integer(line, "staleness");
  e.phases = map_of<int64_t>(line, "phases", to_integer);
  return e;
}

EventBody parse_fingerprint(const json& line) {
  for (const char* key : {"parameters", "gradients"}) member(line, key);
  return Fingerprint{integer(line, "step"), map_of<double>(line, "parameters", to_real),
                     map_of<double>(line, "gradients", to_real)};
}

EventBody parse_clock(const json& line) {
  Clock e;
  e.peer = static_cast<int>(integer(line, "peer"));
  const json& stamps = member(line, "stamps");
  if (!stamps.is_array() || stamps.size() != 4) wrong("stamps", "must be four integers");
  for (size_t i = 0; i < 4; ++i) e.stamps[i] = to_integer(stamps[i], "stamps");
  return e;
}

using Parser = EventBody (*)(const json&);

/// One row a kind of event.
const std::map<std::string, Parser, std::less<>>& parsers() {
  static const std::map<std::string, Parser, std::less<>> table = {
      {"hello", parse_hello},
      {"ready", parse_ready},
      {"step", parse_step},
      {"eval",
       [](const json& l) -> EventBody {
         return Eval{integer(l, "step"), integer(l, "samples_seen"), text(l, "metric"), real(l, "value")};
       }},
      {"memory",
       [](const json& l) -> EventBody {
         return Memory{text(l, "category"), integer(l, "bytes"), integer(l, "peak")};
       }},
      {"fingerprint", parse_fingerprint},
      {"metric",
       [](const json& l) -> EventBody {
         return Metric{text(l, "name"), integer(l, "step"), real(l, "value"), text_or(l, "unit", "")};
       }},
      {"heartbeat", [](const json&) -> EventBody { return Heartbeat{}; }},
      {"clock", parse_clock},
      {"artifact",
       [](const json& l) -> EventBody {
         return Artifact{text(l, "kind"), text(l, "path"), text_or(l, "format", "")};
       }},
      {"unsupported",
       [](const json& l) -> EventBody {
         return Unsupported{text(l, "term"), text(l, "reason")};
       }},
      {"error",
       [](const json& l) -> EventBody {
         return Error{text(l, "kind"), text(l, "message")};
       }},
      {"done", [](const json& l) -> EventBody {
         return Done{integer(l, "steps"), text_or(l, "status", "ok")};
       }}};
  return table;
}

}  // namespace

ParsedLine parse_line(std::string_view line) {
  const json document = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return {std::nullopt, "is not a JSON object"};
  try {
    const auto parser = parsers().find(text(document, "e"));
    if (parser == parsers().end()) return {};
    return {Event{integer(document, "t"), parser->second(document)}, ""};
  } catch (const Failure& failure) {
    return {std::nullopt, failure.what()};
  }
}

}  // namespace lockstep::contract
