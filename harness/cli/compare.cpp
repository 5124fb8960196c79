#include "harness/report/compare.h"

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/cli/split.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {
namespace {

snapshot::Side side_of(store::Store& store, const std::string& text) {
  const snapshot::Selector selector = snapshot::parse_selector(text);
  const store::CampaignRow campaign = snapshot::resolve(store, selector.campaign);
  return {text, snapshot::load(store, campaign, selector.filter)};
}

}  // namespace

int compare(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  std::vector<std::string> vary = split(arguments.text("vary"));
  vary.insert(vary.end(), {"git", "lockstep"});
  const snapshot::CampaignComparison result =
      snapshot::compare(store, side_of(store, arguments.text("A")), side_of(store, arguments.text("B")), vary);
  context.print(context.json ? report::compare_json(result) : report::compare_text(store, result));
  return 0;
}

}  // namespace lockstep::cli
