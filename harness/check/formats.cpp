#include <fmt/format.h>

#include "harness/check/check.h"
#include "results/json/writer.h"
#include "results/report/compare.h"
#include "results/report/escape.h"
#include "results/report/verdict_json.h"

namespace lockstep::check {
namespace {

using snapshot::Verdict;

/// What a person needs to see of a verdict, on one line.
std::string line_of(const Item& item) {
  const Verdict& v = item.verdict;
  std::string out = v.word;
  if (v.weighed()) {
    out += fmt::format(": new/old {}, q {:.2g}", report::verdict_ratio(v), v.contrast.q);
  }
  if (!v.reason.empty()) out += ": " + v.reason;
  return out;
}

enum class Outcome { passed, failure, error, skipped };

Outcome outcome_of(const Verdict& v) {
  if (v.word == "regressed") return Outcome::failure;
  if (v.word == "error") return Outcome::error;
  return v.word == "improved" || v.word == "equivalent" ? Outcome::passed : Outcome::skipped;
}

std::string test_case(const Result& result, const Item& item) {
  const std::string head = fmt::format("  <testcase classname=\"lockstep.{}\" name=\"{}\"", report::xml(result.suite),
                                       report::xml(item.verdict.cell().text + " " + item.verdict.metric));
  const std::string message = report::xml(line_of(item));
  switch (outcome_of(item.verdict)) {
    case Outcome::passed:
      return head + "/>\n";
    case Outcome::failure:
      return head + fmt::format("><failure message=\"{}\"/></testcase>\n", message);
    case Outcome::error:
      return head + fmt::format("><error message=\"{}\"/></testcase>\n", message);
    case Outcome::skipped:
      return head + fmt::format("><skipped message=\"{}\"/></testcase>\n", message);
  }
  return "";
}

int64_t how_many(const std::vector<Item>& items, Outcome outcome) {
  int64_t n = 0;
  for (const Item& item : items) n += outcome_of(item.verdict) == outcome;
  return n;
}

}  // namespace

std::string to_json(const Result& r, int code) {
  json::Writer out;
  out.open_object().member("format", "lockstep.check").member("version", 1).member("suite", r.suite);
  out.member("baseline", r.screen.a.selector).known("baseline_build", r.baseline_build).known("build", r.build);
  out.member("candidate_campaign", r.screen.b.snapshot.campaign.number);
  if (r.confirmation) {
    out.key("confirmation_campaigns").open_array().value(r.confirmation->a.snapshot.campaign.number);
    out.value(r.confirmation->b.snapshot.campaign.number).close();
  }
  out.key("verdicts").open_array();
  for (const Item& item : r.items) {
    out.open_object();
    report::write_verdict(out, item.verdict);
    out.member("confirmed", item.confirmed).close();
  }
  out.close();
  report::write_omissions(out, r.screen);
  return out.member("over_budget", r.over_budget)
      .member("regressed_where", r.regressed_where)
      .member("exit_code", code)
      .close()
      .text();
}

std::string to_junit(const Result& r) {
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"lockstep.{}\" tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\" skipped=\"{}\">\n",
      report::xml(r.suite), r.items.size(), how_many(r.items, Outcome::failure), how_many(r.items, Outcome::error),
      how_many(r.items, Outcome::skipped));
  for (const Item& item : r.items) out += test_case(r, item);
  return out + "</testsuite>\n";
}

std::string to_markdown(const Result& r, int code) {
  std::string out = fmt::format("## Lockstep: {} {}\n\n| cell | metric | new/old | verdict |\n|---|---|---|---|\n",
                                r.suite, code == 0 ? "passed" : "did not pass");
  for (const Item& item : r.items) {
    const Verdict& v = item.verdict;
    const bool loud = v.word == "regressed" || v.word == "error";
    out += fmt::format("| {} | {} | {} | {}{}{} |\n", report::markdown_text(v.cell().text), v.metric,
                       report::verdict_ratio(v), loud ? "**" : "",
                       report::markdown_text(v.reason.empty() ? v.word : v.word + ": " + v.reason), loud ? "**" : "");
  }
  out += "\n";
  for (const std::string& line : r.regressed_where) out += "- " + report::markdown_text(line) + "\n";
  for (const std::string& line : report::omissions(r.screen)) out += "- " + report::markdown_text(line) + "\n";
  return out;
}

std::string annotations(const Result& r) {
  std::string out;
  for (const Item& item : r.items) {
    const Outcome outcome = outcome_of(item.verdict);
    if (outcome == Outcome::passed) continue;
    const char* level = outcome == Outcome::skipped ? "notice" : "error";
    out += fmt::format("::{} title={}::{}\n", level, report::workflow_property(item.verdict.cell().text),
                       report::workflow_text(item.verdict.metric + " " + line_of(item)));
  }
  return out;
}

}  // namespace lockstep::check
