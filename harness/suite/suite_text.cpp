#include "harness/suite/suite_text.h"

#include <fmt/format.h>

#include "results/json/writer.h"

namespace lockstep::suite {
namespace {

void write_entry(json::Writer& out, const Entry& entry) {
  out.open_object().member("systems", entry.systems).member("strategies", entry.strategies);
  if (!entry.n.empty()) {
    out.key("n").open_array();
    for (int64_t n : entry.n) out.value(n);
    out.close();
  }
  if (!entry.fabrics.empty()) out.member("fabrics", entry.fabrics);
  out.close();
}

void write_recipes(json::Writer& out, const Suite& suite) {
  out.key("recipes").open_array();
  for (const auto& recipe : suite.recipes) {
    out.open_object();
    for (const std::string& override : recipe) {
      const size_t mark = override.find('=');
      out.member(override.substr(0, mark), override.substr(mark + 1));
    }
    out.close();
  }
  out.close();
}

void write_gate(json::Writer& out, const Suite& suite) {
  out.key("gate").open_object();
  for (const auto& [metric, threshold] : suite.gate) {
    out.key(metric).open_object().member("margin", fmt::format("{}%", threshold.margin * 100));
    out.member("floor", fmt::format("{}{}", threshold.floor, metric == "time" ? "ns" : "B")).close();
  }
  out.close();
}

}  // namespace

std::string suite_text(const Suite& suite) {
  json::Writer out;
  out.open_object().member("suite", suite.id).member("title", suite.title).member("workloads", suite.workloads);
  out.key("cells").open_array();
  for (const Entry& entry : suite.entries) write_entry(out, entry);
  out.close();
  write_recipes(out, suite);
  if (!suite.exclude.empty()) out.member("exclude", suite.exclude);
  out.member("launches", suite.launches).member("warmup", suite.warmup).member("base", suite.base);
  if (suite.threads > 0) out.member("threads", suite.threads);
  if (suite.converge) out.member("converge", true);
  out.member("profile", suite.profile);
  if (!suite.gate.empty()) write_gate(out, suite);
  return out.close().text();
}

}  // namespace lockstep::suite
