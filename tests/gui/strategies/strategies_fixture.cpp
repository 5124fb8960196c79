#include "tests/gui/strategies/strategies_fixture.h"

#include <gtest/gtest.h>

#include "results/report/headings.h"
#include "workloads/data/workload.h"

namespace lockstep::gui::testing {

using store::LaunchStatus;
using store::ProofState;

store::CellRow planned_cell(const std::string& system, const std::string& strategy, const std::string& fabric,
                            int64_t ranks) {
  store::CellRow out = store::testing::cell(kWorkload, system, strategy, fabric, ranks);
  out.workload_json = workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", "mlp-fashion", "micro", {}).json();
  return out;
}

void fill(snapshot::testing::Campaign& campaign, bool claims) {
  const auto pipeline = planned_cell("reference", "pp2.dp2/1f1b:m=4/zero1", "threads", 4);
  const auto dp2 = planned_cell("reference", "dp2", "threads", 2);
  for (int64_t block = 0; block < 6; ++block) {
    const double drift = 1 + 0.01 * static_cast<double>(block);
    campaign.finished(planned_cell("reference", "serial", "", 1), block, 10 * drift);
    campaign.finished(dp2, block, 6 * drift);
    campaign.finished(pipeline, block, 8 * drift);
    campaign.finished(planned_cell("pytorch", "dp2", "gloo", 2), block, 20 * drift);
    campaign.finished(planned_cell("reference", "dp2", "null", 2), block, 1 * drift);
  }
  const auto end = [&](const store::CellRow& cell, LaunchStatus status, const char* kind, const char* message) {
    store::LaunchRecord record = campaign.record(cell, 0, 5);
    record.launch.status = status, record.launch.error_kind = kind, record.launch.error_message = message;
    record.series.clear();
    campaign.store.import_launch(record);
  };
  end(planned_cell("reference", "tp2", "threads", 2), LaunchStatus::failed, "out_of_memory", "rank 1: asked 3 GiB");
  end(planned_cell("pytorch", "tp2", "gloo", 2), LaunchStatus::skipped, "unsupported",
      "tp2: pytorch does not claim it (adapters/pytorch/manifest.json)");
  const std::string environment = campaign.store.put_environment({});
  const auto prove = [&](const store::CellRow& cell, ProofState state, const char* reason) {
    store::ProofRow proof;
    proof.cell = cell.text, proof.environment = environment, proof.state = state, proof.reason = reason;
    campaign.store.record_proof(proof);
  };
  prove(dp2, ProofState::held, "");
  prove(pipeline, ProofState::failed, "loss of step 3: 2.5 against 2.25");
  if (!claims) return;
  store::SystemRow pytorch;
  pytorch.name = "pytorch";
  pytorch.claims_json = R"([{"term":"serial","own_name":"one process"},{"term":"dp{n}","own_name":"DDP"}])";
  campaign.store.record_system(pytorch);
}

ViewState strategies_view() {
  ViewState out;
  out.page = "strategies";
  return out;
}

report::Value entry_of(const report::Table& table, const std::string& term, const std::string& column) {
  std::string columns;
  for (const report::Row& row : table.rows) {
    if (row.cell != term) continue;
    for (size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].key == column) return row.values[i];
      columns += table.columns[i].key + " ";
    }
  }
  ADD_FAILURE() << "no " << column << " of " << term << "; there are " << columns;
  return {};
}

std::string value_of(const report::Table& table, const std::string& term, const std::string& column) {
  return report::shown(entry_of(table, term, column));
}

}  // namespace lockstep::gui::testing
