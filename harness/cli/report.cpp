#include "harness/report/render.h"

#include "harness/cli/commands.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {

int report(const Arguments& arguments, const Context& context) {
  const snapshot::Selector selector = snapshot::parse_selector(arguments.text("SELECTOR", "@last"));
  store::Store store = context.open_store();
  const snapshot::CampaignSnapshot snapshot =
      snapshot::load(store, snapshot::resolve(store, selector.campaign), selector.filter);
  context.print(context.json ? report::to_json(snapshot) : report::table(store, snapshot));
  return 0;
}

}  // namespace lockstep::cli
