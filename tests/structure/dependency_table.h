#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace lockstep::structure {

/// A module is the files under `folder` that no longer folder of the table claims. It may include its own headers,
/// those of `uses`, and what those use in turn. `third_party` are the include prefixes that it alone, or with others
/// here, may use; the standard library, fmt and xxHash are free for all.
struct Module {
  std::string_view name, folder;
  std::string_view uses = "";         ///< names, separated by blanks
  std::string_view third_party = "";  ///< prefixes, separated by blanks
};

/// docs/architecture.md shows this table; lowest first.
inline constexpr std::array kModules = {
    Module{"activity", "profiler/activity/"},
    Module{"results_stats", "results/stats/", "", "boost/math/"},
    Module{"results_store", "results/store/", "", "SQLiteCpp/ sqlite3.h nlohmann/"},
    Module{"results_snapshot", "results/snapshot/", "activity results_store results_stats", "nlohmann/"},
    Module{"results_json", "results/json/"},
    Module{"profiler", "profiler/", "activity", "nlohmann/"},
    Module{"results_report", "results/report/", "results_json results_snapshot profiler", "nlohmann/"},
    Module{"adapter_contract", "adapters/contract/", "", "nlohmann/"},
    Module{"lockstep-fake-worker", "adapters/fake/", "adapter_contract", "nlohmann/"},
    Module{"workload_data", "workloads/data/", "", "nlohmann/ zlib.h"},
    Module{"trainer_graph", "reference_trainer/graph/", "", "nlohmann/"},
    Module{"trainer_plan_text", "reference_trainer/plan/text/"},
    Module{"trainer_plan_text", "reference_trainer/plan/terms/"},
    Module{"trainer_plan_collective", "reference_trainer/plan/collective/", "activity"},
    Module{"trainer_plan", "reference_trainer/plan/",
           "trainer_graph activity trainer_plan_text trainer_plan_collective"},
    Module{"workload_plan", "workloads/plan/", "workload_data trainer_graph trainer_plan"},
    Module{"trainer_comm", "reference_trainer/comm/", "trainer_plan profiler", "mpi.h"},
    Module{"trainer_kernels", "reference_trainer/kernels/", "trainer_graph workload_data profiler",
           "dnnl.hpp oneapi/dnnl/ omp.h"},
    Module{"trainer_train", "reference_trainer/train/",
           "trainer_graph trainer_plan trainer_comm trainer_kernels workload_data profiler"},
    Module{"lockstep-worker", "reference_trainer/worker/", "trainer_train adapter_contract",
           "nlohmann/ dnnl.hpp oneapi/dnnl/ omp.h"},
    Module{"harness_supervisor", "harness/supervisor/", "", "nlohmann/"},
    Module{"harness_core", "harness/",
           "harness_supervisor trainer_plan workload_data workload_plan adapter_contract results_store results_stats "
           "results_snapshot results_report profiler",
           "nlohmann/ pcre2.h"},
    Module{"lockstep", "harness/cli/", "harness_core", "nlohmann/ CLI/"},
    Module{
        "gui_core", "gui/core/",
        "results_report results_snapshot results_store trainer_plan trainer_graph workload_data workload_plan profiler "
        "activity",
        "Q"},
    Module{"gui_timeline", "gui/core/timeline/", "gui_core", "Q"},
    Module{"gui_widgets", "gui/widgets/", "gui_core gui_timeline", "Q qcustomplot.h"},
    Module{"lockstep-gui", "gui/", "gui_widgets", "Q"},
};

/// The lowest target, `failure`: header-only, for everybody.
inline constexpr std::array kForAll = {
    std::string_view("adapters/contract/failure.h"),       std::string_view("adapters/contract/invariant.h"),
    std::string_view("adapters/contract/nearest.h"),       std::string_view("adapters/contract/plural.h"),
    std::string_view("adapters/contract/json_words.h"),
    std::string_view("adapters/contract/json_document.h"),  // for those who may use JSON
};

/// Third-party headers that need their place in the table.
inline constexpr std::array kPlaced = {
    std::string_view("boost/"),    std::string_view("SQLiteCpp/"), std::string_view("sqlite3.h"),
    std::string_view("nlohmann/"), std::string_view("zlib.h"),     std::string_view("mpi.h"),
    std::string_view("dnnl"),      std::string_view("oneapi/"),    std::string_view("omp.h"),
    std::string_view("CLI/"),      std::string_view("pcre2.h"),    std::string_view("Q"),
};

/// Slow to compile: a header with one of these is not for headers of other folders, and for few of their sources.
inline constexpr size_t kMostForeignReaders = 3;
inline constexpr std::array kHeavy = {
    std::string_view("nlohmann/json.hpp"), std::string_view("boost/math/"), std::string_view("CLI/"),
    std::string_view("SQLiteCpp/"),        std::string_view("dnnl.hpp"),
};

}  // namespace lockstep::structure
