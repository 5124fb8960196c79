#include "results/report/verdict_json.h"

namespace lockstep::report {
namespace {

void write_value(json::Writer& out, const char* name, const stats::Estimate& estimate) {
  if (estimate.ok()) out.known(name, estimate.value);
}

}  // namespace

void write_contrast(json::Writer& out, const stats::Contrast& c) {
  if (c.ratio.ok()) {
    out.member("ratio", c.ratio.value).key("interval").open_array().value(c.ratio.low).value(c.ratio.high).close();
    out.member("level", c.ratio.level);
  } else {
    out.member("refused", stats::to_text(c.ratio.refusal));
  }
  out.member("n", c.ratio.n).member("paired", c.paired).member("margin", c.margin);
  out.known("p", c.p).known("q", c.q).member("launches_needed", c.launches_needed);
}

void write_verdict(json::Writer& out, const snapshot::Verdict& v) {
  out.member("cell", v.cell().text);
  if (!v.cell_b.text.empty() && v.cell_b.text != v.cell().text) out.member("cell_b", v.cell_b.text);
  out.member("metric", v.metric).member("unit", v.unit);
  write_value(out, "a", v.a), write_value(out, "b", v.b);
  out.member("n_a", v.a.n).member("n_b", v.b.n);
  if (v.weighed()) write_contrast(out, v.contrast);
  out.member("verdict", v.word).known("reason", v.reason);
}

void write_omissions(json::Writer& out, const snapshot::CampaignComparison& c) {
  out.key("unmeasured").open_array();
  for (const snapshot::Unmeasured& one : c.unmeasured) {
    out.open_object().member("cell", one.cell).member("metric", one.metric).member("reason", one.why).close();
  }
  out.close().key("left_out").open_array();
  for (const snapshot::LeftOut& one : c.left_out) {
    out.open_object().member("cell", one.cell).member("side", one.of_a ? "a" : "b").member("launches", one.launches);
    out.member("reason", one.why).close();
  }
  out.close();
}

}  // namespace lockstep::report
