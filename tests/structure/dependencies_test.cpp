#include "tests/structure/dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/structure/dependency_table.h"
#include "tests/structure/source_tree.h"

namespace lockstep::structure {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Sources project_sources() {
  Sources out;
  for (const std::string& file : project_files()) {
    const bool code = file.ends_with(".h") || file.ends_with(".cpp") || file.ends_with(".cpp.in");
    if (code && !file.starts_with("tests/")) out[file] = content(file);
  }
  return out;
}

TEST(Dependencies, PointInTheDirectionOfTheTable) {
  const Sources sources = project_sources();
  ASSERT_GT(sources.size(), 100u);
  EXPECT_THAT(wrong_includes(sources), IsEmpty());
}

TEST(Dependencies, HeavyHeadersStayInsideTheirFolder) { EXPECT_THAT(heavy_headers(project_sources()), IsEmpty()); }

TEST(Dependencies, EachFolderOfTheTableExistsAndUsesOnlyLinesAboveIt) {
  std::vector<std::string_view> above;
  for (const Module& module : kModules) {
    EXPECT_TRUE(std::filesystem::is_directory(std::string(LOCKSTEP_SOURCE_DIR "/") + std::string(module.folder)))
        << module.folder;
    for (std::string_view used : words(module.uses)) EXPECT_THAT(above, testing::Contains(used)) << module.name;
    above.push_back(module.name);
  }
}

TEST(Dependencies, EverySourceFileBelongsToALineOfTheTable) {
  for (const auto& [file, text] : project_sources()) {
    const bool claimed =
        std::any_of(kModules.begin(), kModules.end(),
                    [&, name = std::string_view(file)](const Module& m) { return name.starts_with(m.folder); });
    EXPECT_TRUE(claimed) << file;
  }
}

// Seeded faults: each rule finds what it is there for.

TEST(Dependencies, AnIncludeAgainstTheDirectionIsFound) {
  EXPECT_THAT(
      wrong_includes({{"results/stats/a.cpp", "\n#include \"results/store/store.h\"\n"}}),
      ElementsAre("results/stats/a.cpp:2: results_stats may not include results/store/store.h (of results_store)"));
  EXPECT_THAT(
      wrong_includes({{"harness/run/a.cpp", "#include \"reference_trainer/train/engine.h\""}}),
      ElementsAre(
          "harness/run/a.cpp:1: harness_core may not include reference_trainer/train/engine.h (of trainer_train)"));
  EXPECT_THAT(wrong_includes({{"harness/run/a.cpp", "#include \"harness/cli/command.h\""}}), testing::SizeIs(1));
  EXPECT_THAT(wrong_includes({{"harness/run/a.cpp", "#include \"tests/x.h\""}}), testing::SizeIs(1));
}

TEST(Dependencies, ForeignThirdPartyCodeIsFound) {
  EXPECT_THAT(wrong_includes({{"reference_trainer/plan/a.cpp", "#include <nlohmann/json.hpp>"}}), testing::SizeIs(1));
  EXPECT_THAT(wrong_includes({{"harness/run/a.cpp", "#  include <SQLiteCpp/SQLiteCpp.h>"}}), testing::SizeIs(1));
  EXPECT_THAT(wrong_includes({{"reference_trainer/comm/a.cpp", "#include <mpi.h>\n#include <vector>"}}), IsEmpty());
}

TEST(Dependencies, WhatUsedModulesUseIsAllowed) {
  EXPECT_THAT(wrong_includes({{"reference_trainer/worker/a.cpp",
                               "#include \"reference_trainer/graph/graph.h\"\n"
                               "#include \"adapters/contract/failure.h\"\n"}}),
              IsEmpty());
}

TEST(Dependencies, AHeavyHeaderThatLeavesItsFolderIsFound) {
  Sources sources = {{"results/store/store.h", "#include <SQLiteCpp/SQLiteCpp.h>"},
                     {"results/store/inner.h", "#include <SQLiteCpp/SQLiteCpp.h>"},
                     {"results/store/store.cpp", "#include \"results/store/inner.h\""},
                     {"harness/run/a.cpp", "#include \"results/store/store.h\""}};
  EXPECT_THAT(heavy_headers(sources), IsEmpty()) << "one source that pays for it";
  sources["harness/run/a.h"] = "#include \"results/store/store.h\"";
  EXPECT_THAT(heavy_headers(sources), ElementsAre("results/store/store.h:1: SQLiteCpp/SQLiteCpp.h in a header that "
                                                  "harness/run/a.cpp, harness/run/a.h include"));
}

}  // namespace
}  // namespace lockstep::structure
