#include "results/report/compare.h"

#include "harness/cli/commands.h"
#include "harness/cli/revision.h"
#include "harness/cli/split.h"

namespace lockstep::cli {
int compare(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  const snapshot::CampaignComparison result = snapshot::compare(
      store, snapshot::load_side(store, with_revision(store, "A", arguments.text("A"))),
      snapshot::load_side(store, with_revision(store, "B", arguments.text("B"))), split(arguments.text("vary")));
  context.print(context.json ? report::compare_json(result) : report::compare_text(result));
  return 0;
}

}  // namespace lockstep::cli
