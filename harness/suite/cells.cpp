#include "harness/suite/cells.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "harness/suite/check.h"
#include "harness/suite/costs_file.h"
#include "harness/suite/layout_file.h"
#include "reference_trainer/plan/text/fabric_text.h"
#include "reference_trainer/plan/text/workload_text.h"
#include "results/snapshot/selector.h"
#include "workloads/plan/plan_of.h"

namespace lockstep::suite {

// Makes each value once.
template <class Value, class Key = std::string>
class Memo {
 public:
  template <class Make>
  const Value& get(const Key& key, Make make) {
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    return values_.emplace(key, make()).first->second;
  }

 private:
  std::map<Key, Value> values_;
};

struct ParsedWorkload {
  std::shared_ptr<const workloads::Workload> workload;
  workloads::PlanInput plan_input;
};

struct ParsedStrategy {
  text::Strategy strategy;
  std::string text;
  int64_t ranks = 1;
};

/// A strategy with its stages' cut, which depends on the workload too, or why there is none.
struct CutStrategy {
  text::Strategy strategy;
  std::optional<Reason> refused;
};

struct ParsedSystem {
  text::SystemText system;
  std::string text;
  const contract::Manifest* manifest = nullptr;
};

namespace {

std::vector<std::string> ids_of(const std::vector<contract::Manifest>& manifests) {
  std::vector<std::string> ids;
  for (const contract::Manifest& manifest : manifests) ids.push_back(manifest.name);
  return ids;
}

// The fabric that a system uses when none is asked for: the first that its manifest names.
std::string usual_fabric(const contract::Manifest& manifest) {
  for (const contract::LaunchRecipe& recipe : manifest.launch) {
    if (!recipe.fabric.empty()) return recipe.fabric;
  }
  return "";
}

std::string replace_n(std::string strategy, int64_t n) {
  for (size_t at; (at = strategy.find("{n}")) != std::string::npos;) strategy.replace(at, 3, std::to_string(n));
  return strategy;
}

std::vector<std::string> strategies_of(const Entry& entry) {
  std::vector<std::string> all;
  for (const std::string& strategy : entry.strategies) {
    if (strategy.find("{n}") == std::string::npos) {
      all.push_back(strategy);
    } else {
      for (int64_t n : entry.n) all.push_back(replace_n(strategy, n));
    }
  }
  return all;
}

std::string with_recipe(const std::string& workload, const std::vector<std::string>& overrides) {
  std::string text = workload;
  for (const std::string& override : overrides) {
    text += (text.find(':') == std::string::npos ? ":tiny," : ",") + override;
  }
  return text;
}

// Filters of a suite may part their terms by blanks, as people write them.
std::vector<snapshot::Filter> filters_of(const std::vector<std::string>& texts) {
  std::vector<snapshot::Filter> filters;
  for (std::string text : texts) {
    std::replace(text.begin(), text.end(), ' ', ',');
    filters.push_back(snapshot::parse_filter(text));
  }
  return filters;
}

}  // namespace

store::CellRow row_of(const PlannedCell& cell) {
  return {cell.text, cell.workload, cell.system, cell.strategy, cell.fabric, cell.ranks, "{}", "{}"};
}

struct Catalogue::Memory {
  workloads::Folder folder;
  Memo<ParsedWorkload> workloads;
  Memo<ParsedStrategy> strategies;
  Memo<CutStrategy> cuts;
  Memo<ParsedSystem> systems;
  Memo<std::optional<Reason>> workload_checks, strategy_checks;
  Memo<std::optional<Reason>, std::tuple<std::string, std::string, workloads::PlanInput>> plan_checks;
  Memo<std::string> fabrics;

  const ParsedWorkload& workload(const std::string& written);
};

const ParsedWorkload& Catalogue::Memory::workload(const std::string& written) {
  return workloads.get(written, [&] {
    const text::WorkloadText parsed = text::parse_workload(written);
    auto workload = std::make_shared<const workloads::Workload>(
        folder.resolve(parsed.id, parsed.preset, text::arguments_of(parsed)));
    auto input = workloads::plan_input(*workload);
    return ParsedWorkload{std::move(workload), std::move(input)};
  });
}

Catalogue::Catalogue(std::filesystem::path workloads, std::vector<contract::Manifest> manifests)
    : manifests_(std::move(manifests)), memory_(new Memory{workloads::Folder(std::move(workloads))}) {}
Catalogue::~Catalogue() = default;
Catalogue::Catalogue(Catalogue&&) noexcept = default;

const contract::Manifest* Catalogue::manifest(const std::string& system_id) const {
  for (const contract::Manifest& manifest : manifests_) {
    if (manifest.name == system_id) return &manifest;
  }
  return nullptr;
}

std::shared_ptr<const workloads::Workload> Catalogue::workload(const std::string& written) {
  return memory_->workload(written).workload;
}

PlannedCell Catalogue::cell(const std::string& workload_text, const std::string& system_text,
                            const std::string& strategy_text, const std::string& fabric_text) {
  PlannedCell cell;
  const ParsedWorkload& parsed_workload = memory_->workload(workload_text);
  cell.resolved = parsed_workload.workload;
  const ParsedSystem& system = memory_->systems.get(system_text, [&] {
    ParsedSystem parsed{text::parse_system(system_text), "", nullptr};
    parsed.text = text::print(parsed.system);
    parsed.manifest = manifest(parsed.system.id);
    if (parsed.manifest == nullptr) {
      refuse({"", "system", parsed.system.id, "no adapter of that name",
              "the nearest is '" + nearest(parsed.system.id, ids_of(manifests_)) + "'; lockstep systems lists all"});
    }
    check_options(parsed.system, *parsed.manifest);
    return parsed;
  });
  const ParsedStrategy& strategy = memory_->strategies.get(strategy_text, [&] {
    ParsedStrategy parsed{with_layout_file(text::parse_strategy(strategy_text)), "", 1};
    parsed.text = text::print(parsed.strategy);
    parsed.ranks = text::ranks(parsed.strategy);
    return parsed;
  });
  cell.workload = cell.resolved->text, cell.system = system.text, cell.strategy = strategy.text;
  cell.system_id = system.system.id, cell.ranks = strategy.ranks;
  if (cell.ranks > 1) {
    const std::string wanted = fabric_text.empty() ? usual_fabric(*system.manifest) : fabric_text;
    if (!wanted.empty()) {
      cell.fabric = memory_->fabrics.get(wanted, [&] { return text::print(text::parse_fabric(wanted)); });
    }
    cell.fabric_name = cell.fabric.substr(0, cell.fabric.find(':'));
  }
  cell.refused = check_checkpoints(system.system, *system.manifest);
  if (!cell.refused) {
    cell.refused = memory_->strategy_checks.get(cell.system_id + " " + cell.strategy + " " + cell.fabric_name, [&] {
      return check_strategy(strategy.strategy, cell.fabric_name, *system.manifest);
    });
  }
  if (!cell.refused) {
    cell.refused = memory_->workload_checks.get(cell.system_id + " " + cell.workload,
                                                [&] { return check_workload(*cell.resolved, *system.manifest); });
  }
  if (!cell.refused) cell.refused = check_recipe(strategy.strategy, cell.resolved->recipe, *system.manifest);
  const text::Strategy& cut = choose_cut(strategy.strategy, cell);
  if (!cell.refused) {
    const workloads::PlanInput& input = parsed_workload.plan_input;
    cell.refused = memory_->plan_checks.get({cell.system_id, cell.strategy, input},
                                            [&] { return check_plan(cut, input, *system.manifest); });
  }
  cell.text =
      cell.workload + " " + cell.system + " " + cell.strategy + (cell.fabric.empty() ? "" : " on " + cell.fabric);
  return cell;
}

const text::Strategy& Catalogue::choose_cut(const text::Strategy& strategy, PlannedCell& cell) {
  if (cell.refused || strategy.find_pass("stages") == nullptr) return strategy;
  const CutStrategy& cut = memory_->cuts.get(cell.workload + " " + cell.strategy, [&]() -> CutStrategy {
    try {
      return {with_chosen_cut(strategy, *cell.resolved), std::nullopt};
    } catch (const Failure& failure) {
      if (failure.kind() != "unsupported") throw;
      return {strategy, Reason{failure.kind(), failure.what()}};
    }
  });
  cell.refused = cut.refused, cell.strategy = text::print(cut.strategy);
  return cut.strategy;
}

std::vector<PlannedCell> expand(const Suite& suite, Catalogue& catalogue) {
  const std::vector<snapshot::Filter> exclude = filters_of(suite.exclude);
  std::set<std::string> seen;
  std::vector<PlannedCell> cells;
  const auto add = [&](PlannedCell cell) {
    const store::CellRow row = row_of(cell);
    for (const snapshot::Filter& filter : exclude) {
      if (snapshot::matches(filter, row)) return;
    }
    if (seen.insert(cell.text).second) cells.push_back(std::move(cell));
  };
  const std::vector<std::string> usual{""};
  for (const std::string& workload : suite.workloads) {
    for (const auto& recipe : suite.recipes) {
      const std::string text = with_recipe(workload, recipe);
      for (const Entry& entry : suite.entries) {
        for (const std::string& system : entry.systems) {
          for (const std::string& strategy : strategies_of(entry)) {
            for (const std::string& fabric : entry.fabrics.empty() ? usual : entry.fabrics) {
              add(catalogue.cell(text, system, strategy, fabric));
            }
          }
        }
      }
    }
  }
  return cells;
}

void keep_matching(std::vector<PlannedCell>& cells, const std::string& filter) {
  if (filter.empty()) return;
  const snapshot::Filter wanted = snapshot::parse_filter(filter);
  std::erase_if(cells, [&](const PlannedCell& cell) { return !snapshot::matches(wanted, row_of(cell)); });
  if (cells.empty()) refuse({"", "--filter", filter, "no cell is left", "lockstep run --dry-run lists all"});
}

}  // namespace lockstep::suite
