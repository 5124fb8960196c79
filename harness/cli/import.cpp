#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "adapters/contract/plural.h"
#include "harness/cli/commands.h"
#include "harness/collect/collect.h"
#include "harness/collect/record_file.h"
#include "harness/verify/prove.h"
#include "results/json/writer.h"

namespace lockstep::cli {

namespace {

collect::Imported import_path(store::Store& store, const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return collect::import_folder(store, path);
  return store.import_launch(collect::read_record_file(path)) ? collect::Imported{1, 0} : collect::Imported{0, 1};
}

// Folders do not tell how their campaign ended: it has when every planned launch is over.
void end_whole_campaigns(store::Store& store) {
  for (const store::CampaignRow& campaign : store.campaigns()) {
    if (campaign.status != store::CampaignStatus::running) continue;
    int64_t over = 0, last = 0;
    for (const store::LaunchRow& launch : store.launches({campaign.id, {}, {}, {}})) {
      over += store::is_over(launch.status) ? 1 : 0;
      last = std::max(last, launch.ended_utc_ns);
    }
    if (over > 0 && over >= campaign.planned_launches) {
      store.end_campaign(campaign.id, store::CampaignStatus::finished, last);
    }
  }
}

}  // namespace

int import(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store(store::OpenMode::create);
  collect::Imported all;
  for (const std::string& path : arguments.list("PATH")) {
    const collect::Imported one = import_path(store, path);
    all.launches += one.launches, all.known += one.known;
  }
  end_whole_campaigns(store);
  const int64_t proofs = verify::prove_imported(store);
  if (context.json) {
    json::Writer out;
    out.open_object().member("format", "lockstep.import").member("version", 1).member("imported", all.launches);
    context.print(out.member("known", all.known).member("proofs", proofs).close().text());
  } else {
    context.print(fmt::format("{} imported, {} there already{}\n", plural(all.launches, "launch", "launches"),
                              all.known,
                              proofs > 0 ? fmt::format("; equal work judged of {} verify launches", proofs) : ""));
  }
  return 0;
}

}  // namespace lockstep::cli
