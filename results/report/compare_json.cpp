#include "results/json/writer.h"
#include "results/report/compare.h"
#include "results/report/verdict_json.h"

namespace lockstep::report {
namespace {

using snapshot::CampaignComparison;

void write_side(json::Writer& out, const char* name, const snapshot::Side& side) {
  out.key(name).open_object().member("selector", side.selector).member("campaign", side.snapshot.campaign.number);
  out.member("started_utc_ns", side.snapshot.campaign.started_utc_ns).close();
}

void write_differences(json::Writer& out, const CampaignComparison& c) {
  out.key("environment_differences").open_array();
  for (const snapshot::Difference& d : c.differences) {
    out.open_object().member("key", d.key).known("a", d.a).known("b", d.b).member("must_match", d.must_match).close();
  }
  out.close();
}

}  // namespace

std::string compare_json(const CampaignComparison& c) {
  json::Writer out;
  out.open_object().member("format", "lockstep.compare").member("version", 1);
  write_side(out, "a", c.a), write_side(out, "b", c.b);
  out.member("ratio_is",
             c.relation == snapshot::Relation::builds ? "metric of b / metric of a" : "speed of a / speed of b");
  out.member("vary", c.vary).member("interleaved", c.took_turns);
  write_differences(out, c);
  out.key("verdicts").open_array();
  for (const snapshot::Verdict& verdict : c.verdicts) {
    out.open_object();
    write_verdict(out, verdict);
    out.close();
  }
  out.close();
  write_omissions(out, c);
  if (c.geometric_mean.ok()) {
    out.key("geometric_mean").open_object().member("ratio", c.geometric_mean.value).key("interval").open_array();
    out.value(c.geometric_mean.low)
        .value(c.geometric_mean.high)
        .close()
        .member("level", c.geometric_mean.level)
        .close();
  }
  out.member("losses_compared", c.losses).member("losses_same_bits", c.same_losses);
  return out.member("largest_loss_difference", c.largest_loss_difference).close().text();
}

}  // namespace lockstep::report
