#include <fmt/format.h>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/environment/machine.h"
#include "results/json/writer.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {
namespace {

int list_tags(store::Store& store, const Context& context) {
  json::Writer out;
  out.open_object().member("format", "lockstep.tags").member("version", 1).key("tags").open_array();
  std::string text;
  for (const store::CampaignRow& row : store.campaigns()) {
    for (const std::string& tag : row.tags) {
      text += fmt::format("{:<20} @{}  {}\n", tag, row.number, row.suite);
      out.open_object().member("tag", tag).member("campaign", row.number).close();
    }
  }
  if (text.empty()) text = "no tags; lockstep tag NAME @last gives one\n";
  context.print(context.json ? out.close().close().text() : text);
  return 0;
}

}  // namespace

int tag(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  if (!arguments.has("NAME")) return list_tags(store, context);
  const std::string name = arguments.text("NAME");
  const snapshot::CampaignSelector as_selector = snapshot::parse_selector(name).campaign;
  if (as_selector.kind != snapshot::CampaignSelector::Kind::tag) {
    refuse({"", "NAME", name, "a tag is a word of a-z, 0-9, _ and -", "lockstep tag before-upgrade @12"});
  }
  if (arguments.has("delete")) {
    snapshot::resolve(store, as_selector);
    store.untag(name);
    context.print(fmt::format("tag {} is gone\n", name));
    return 0;
  }
  const std::string selector = arguments.text("SELECTOR", "@last");
  const store::CampaignRow campaign = snapshot::resolve(store, snapshot::parse_selector(selector).campaign);
  store.tag(campaign.id, name, environment::user_name());
  context.print(fmt::format("{} is @{} ({})\n", name, campaign.number, campaign.suite));
  return 0;
}

}  // namespace lockstep::cli
