#include "adapters/contract/events.h"

#include <fmt/format.h>
#include <time.h>

#include <array>
#include <cmath>
#include <iterator>

namespace lockstep::contract {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<EventBody>> kNames = {
    "hello",     "ready", "step",     "eval",        "memory", "fingerprint", "metric",
    "heartbeat", "clock", "artifact", "unsupported", "error",  "done"};

/// Appends the members of one JSON object to a text, without a tree in between.
class Line {
 public:
  explicit Line(std::string& out) : out_(out) {}

  void integer(std::string_view key, int64_t value) {
    begin(key);
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  void integer(std::string_view key, const std::optional<int64_t>& value) {
    if (value) integer(key, *value);
  }
  void real(std::string_view key, double value) {
    begin(key);
    append_real(value);
  }
  void real(std::string_view key, const std::optional<double>& value) {
    if (value) real(key, *value);
  }
  void text(std::string_view key, std::string_view value) {
    begin(key);
    append_text(value);
  }
  template <class Map>
  void map(std::string_view key, const Map& values) {
    begin(key);
    char separator = '{';
    for (const auto& [name, value] : values) {
      out_ += separator;
      append_text(name);
      out_ += ':';
      append_value(value);
      separator = ',';
    }
    out_ += values.empty() ? "{}" : "}";
  }
  void integers(std::string_view key, const int64_t* first, int count) {
    begin(key);
    for (int i = 0; i < count; ++i) fmt::format_to(std::back_inserter(out_), "{}{}", i == 0 ? '[' : ',', first[i]);
    out_ += ']';
  }

 private:
  void begin(std::string_view key) {
    out_ += ",\"";
    out_ += key;
    out_ += "\":";
  }
  void append_value(int64_t value) { fmt::format_to(std::back_inserter(out_), "{}", value); }
  void append_value(double value) { append_real(value); }
  void append_value(const std::string& value) { append_text(value); }

  void append_real(double value) {
    if (std::isnan(value))
      out_ += "\"NaN\"";
    else if (std::isinf(value))
      out_ += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    else
      fmt::format_to(std::back_inserter(out_), "{}", value);
  }

  void append_text(std::string_view value) {
    out_ += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\')
        (out_ += '\\') += c;
      else if (static_cast<unsigned char>(c) < 0x20)
        fmt::format_to(std::back_inserter(out_), "\\u{:04x}", c);
      else
        out_ += c;
    }
    out_ += '"';
  }

  std::string& out_;
};

void members(Line& line, const Hello& e) {
  line.integer("contract", e.contract);
  line.text("worker", e.worker);
  line.map("versions", e.versions);
  line.integer("pid", e.pid);
  line.text("host", e.host);
  line.integer("rank", e.rank);
  line.integer("world", e.world);
  line.text("role", e.role);
  line.text("device", e.device);
  line.map("clock", std::map<std::string, int64_t>{{"monotonic_ns", e.clock.monotonic_ns}, {"utc_ns", e.clock.utc_ns}});
}

void members(Line& line, const Ready& e) {
  line.integer("parameters", e.parameters);
  line.integer("parameter_bytes", e.parameter_bytes);
  line.real("flops_per_sample", e.flops_per_sample);
}

void members(Line& line, const Step& e) {
  line.integer("step", e.step);
  line.integer("t0", e.t0);
  line.integer("t1", e.t1);
  line.integer("samples", e.samples);
  line.integer("tokens", e.tokens);
  line.real("loss", e.loss);
  line.real("loss_weight", e.loss_weight);
  line.integer("bytes_sent", e.bytes_sent);
  line.integer("messages", e.messages);
  line.integer("staleness", e.staleness);
  if (!e.phases.empty()) line.map("phases", e.phases);
}

void members(Line& line, const Eval& e) {
  line.integer("step", e.step);
  line.integer("samples_seen", e.samples_seen);
  line.text("metric", e.metric);
  line.real("value", e.value);
}

void members(Line& line, const Memory& e) {
  line.text("category", e.category);
  line.integer("bytes", e.bytes);
  line.integer("peak", e.peak);
}

void members(Line& line, const Fingerprint& e) {
  line.integer("step", e.step);
  line.map("parameters", e.parameters);
  line.map("gradients", e.gradients);
}

void members(Line& line, const Metric& e) {
  line.text("name", e.name);
  line.integer("step", e.step);
  line.real("value", e.value);
  line.text("unit", e.unit);
}

void members(Line&, const Heartbeat&) {}

void members(Line& line, const Clock& e) {
  line.integer("peer", e.peer);
  line.integers("stamps", e.stamps, 4);
}

void members(Line& line, const Artifact& e) {
  line.text("kind", e.kind);
  line.text("path", e.path);
  line.text("format", e.format);
}

void members(Line& line, const Unsupported& e) {
  line.text("term", e.term);
  line.text("reason", e.reason);
}

void members(Line& line, const Error& e) {
  line.text("kind", e.kind);
  line.text("message", e.message);
}

void members(Line& line, const Done& e) {
  line.integer("steps", e.steps);
  line.text("status", e.status);
}

int64_t read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::string_view event_name(const EventBody& body) { return kNames[body.index()]; }

void append_line(std::string& out, const Event& event) {
  fmt::format_to(std::back_inserter(out), "{{\"e\":\"{}\",\"t\":{}", event_name(event.body), event.t);
  Line line(out);
  std::visit([&](const auto& body) { members(line, body); }, event.body);
  out += "}\n";
}

int64_t now_ns() { return read_clock(CLOCK_MONOTONIC); }

ClockAnchor clock_anchor() { return {read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_REALTIME)}; }

}  // namespace lockstep::contract
