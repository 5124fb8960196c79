#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "tests/structure/source_tree.h"

namespace lockstep::structure {
namespace {

namespace fs = std::filesystem;

/// Folders of one person's machine; in two parts, so that this file does not find itself.
const std::array kMachinePaths = {std::string("/ho") + "me/", std::string("/ro") + "ot/", std::string("/Us") + "ers/",
                                  std::string("/wo") + "rk/"};

bool is_text(const std::string& text) { return text.find('\0') == std::string::npos; }

TEST(Texts, NoneNamesAPathOfOneMachine) {
  for (const std::string& file : project_files()) {
    const std::string text = content(file);
    if (!is_text(text)) continue;
    for (const std::string& path : kMachinePaths) {
      const size_t at = text.find(path);
      EXPECT_EQ(at, std::string::npos) << file << ": ..." << text.substr(at > 20 ? at - 20 : 0, 80);
    }
  }
}

TEST(Texts, LinksOfThePagesLeadToFiles) {
  int seen = 0;
  for (const std::string& file : project_files()) {
    if (!file.ends_with(".md")) continue;
    for (const std::string& target : links(content(file))) {
      ++seen;
      EXPECT_TRUE(fs::exists(fs::path(LOCKSTEP_SOURCE_DIR) / fs::path(file).parent_path() / target))
          << file << " links to " << target << ", which does not exist";
    }
  }
  EXPECT_GT(seen, 10);
}

TEST(Texts, EveryPageOfTheDocsIsInTheReadingOrder) {
  const std::vector<std::string> listed = links(content("docs/README.md"));
  for (const std::string& file : project_files()) {
    const fs::path path(file);
    if (path.parent_path() == "docs" && path.extension() == ".md" && path.filename() != "README.md") {
      EXPECT_THAT(listed, testing::Contains(path.filename().string()));
    }
  }
}

TEST(Texts, LinksAreFoundAndHostsLeftOut) {
  EXPECT_THAT(links("[a](b.md) [c](d/e.md#f) [g](https://h.org/i) [j](#k) (l)"),
              testing::ElementsAre("b.md", "d/e.md"));
}

TEST(Texts, IncludesAreFound) {
  const auto found = includes("#include <a/b.h>\n// #include \"c.h\"\n  # include \"d.h\"  // why\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].path, "a/b.h");
  EXPECT_FALSE(found[0].quoted);
  EXPECT_EQ(found[1].path, "d.h");
  EXPECT_EQ(found[1].line, 3);
}

}  // namespace
}  // namespace lockstep::structure
