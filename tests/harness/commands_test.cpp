#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/harness/lab.h"

/// What the command line says of itself.
namespace lockstep::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::set<std::string> command_names() {
  const std::string script = Lab().lockstep({"completion", "fish"}).out;
  std::set<std::string> names{"help"};
  const std::regex item("__fish_use_subcommand -a ([a-z]+)");
  for (std::sregex_iterator it(script.begin(), script.end(), item), end; it != end; ++it) names.insert((*it)[1]);
  return names;
}

// A command that is not there must not be printed as a remedy, nor stand in a page.
TEST(Commands, EveryOneThatIsNamedIsThere) {
  const std::set<std::string> names = command_names();
  ASSERT_GT(names.size(), 15U);
  // In sources only inside string literals; in pages inside code.
  const std::regex in_source("\"[^\"\\n]*\\blockstep ([a-z]+)"), in_page("`(?:build/release/bin/)?lockstep ([a-z]+)");
  std::vector<std::string> unknown;
  const auto look = [&](const fs::path& file, const std::regex& pattern) {
    const std::string text = text_of(file);
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      if (!names.contains((*it)[1])) unknown.push_back(file.string() + ": " + (*it)[0].str());
    }
  };
  const fs::path root = LOCKSTEP_SOURCE_DIR;
  for (const char* folder : {"harness", "results", "reference_trainer", "workloads/data", "adapters", "docs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension();
      if (extension == ".cpp" || extension == ".h" || extension == ".py") look(entry.path(), in_source);
      if (extension == ".md") look(entry.path(), in_page);
    }
  }
  look(root / "README.md", in_page);
  EXPECT_THAT(unknown, IsEmpty());
}

TEST(Commands, OneThatIsNotThereNamesTheNearest) {
  const auto result = Lab().lockstep({"lst", "@1"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("lst: no such command; the nearest is 'list'"));
}

TEST(Commands, EachHasHelpWithExamplesThatNameIt) {
  const Lab lab;
  for (const std::string& name : command_names()) {
    if (name == "help") continue;
    const auto help = lab.lockstep({"help", name});
    EXPECT_EQ(help.code, 0) << name;
    EXPECT_THAT(help.out, HasSubstr("Examples:")) << name;
    EXPECT_THAT(help.out, HasSubstr("lockstep " + name)) << name;
  }
}

TEST(Commands, CompletionIsAScriptThatItsShellReads) {
  const Lab lab;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    if (launch::find_executable(shell).empty()) continue;
    const std::string file = (lab.folder / shell).string();
    std::ofstream(file) << lab.lockstep({"completion", shell}).out;
    EXPECT_EQ(launch::capture({shell, "-n", file}, 20).code, 0) << shell;
  }
  EXPECT_EQ(lab.lockstep({"completion", "csh"}).code, 2);
}

// What a program made elsewhere, and commands repeat as it was, has no place in our page.
void collect_members(const nlohmann::json& value, std::set<std::string>& names) {
  if (value.is_array()) {
    for (const auto& element : value) collect_members(element, names);
  }
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    names.insert(key);
    if (key != "environment" && key != "supervisor" && key != "git" && key != "probe") collect_members(member, names);
  }
}

TEST(Commands, EveryMemberOfTheirJsonIsDescribed) {
  const std::string page = text_of(fs::path(LOCKSTEP_SOURCE_DIR) / "docs" / "formats.md");
  std::set<std::string> words;
  const std::regex word("[A-Za-z_0-9]+");
  for (std::sregex_iterator it(page.begin(), page.end(), word), end; it != end; ++it) words.insert(it->str());
  const Lab lab;
  ASSERT_EQ(lab.lockstep({"run", "-w", "mlp-digits:micro", "-s", "serial", "-s", "dp2", "-n", "2", "--profile"}).code,
            0);
  const std::vector<std::vector<std::string>> commands{{"list"},
                                                       {"list", "@1"},
                                                       {"show", "@1.1"},
                                                       {"report"},
                                                       {"report", "--row", "strategy", "--col", "ranks"},
                                                       {"report", "--methods"},
                                                       {"compare", "@1/strategy:serial", "@1/strategy:dp2"},
                                                       {"strategies"},
                                                       {"systems"},
                                                       {"plan", "mlp-digits:micro", "pp2/1f1b:m=2", "-v"},
                                                       {"plan", "mlp-digits:micro", "--ranks", "2"},
                                                       {"run"},
                                                       {"run", "quickstart", "--dry-run"},
                                                       {"tag"},
                                                       {"note", "@1"},
                                                       {"gc"}};
  for (std::vector<std::string> command : commands) {
    const std::string name = command.front() + (command.size() > 1 ? " " + command[1] : "");
    command.emplace_back("--json");
    const auto result = lab.lockstep(command);
    const auto document = nlohmann::json::parse(result.out, nullptr, false);
    ASSERT_TRUE(document.is_object()) << name << ": " << result.err;
    EXPECT_TRUE(document.contains("format") && document.contains("version")) << name;
    EXPECT_THAT(page, HasSubstr(document.value("format", "no format"))) << name;
    std::set<std::string> members;
    collect_members(document, members);
    std::erase_if(members,
                  [&](const std::string& one) { return words.contains(one) || one.find('=') != std::string::npos; });
    EXPECT_THAT(members, IsEmpty()) << name;
  }
}

TEST(Commands, TagsAndNotesAreKeptAndNamesSurvive) {
  const Lab lab;
  ASSERT_EQ(lab.lockstep({"run", "-w", kTinyWork, "-S", "fake", "-n", "1", "--no-verify"}).code, 0);
  EXPECT_EQ(lab.lockstep({"tag", "before", "@1"}).code, 0);
  EXPECT_THAT(lab.lockstep({"tag"}).out, HasSubstr("before"));
  EXPECT_THAT(lab.lockstep({"report", "before"}).out, HasSubstr("campaign @1"));
  EXPECT_EQ(lab.lockstep({"tag", "@2"}).code, 2);
  EXPECT_EQ(lab.lockstep({"note", "before", "ü日本 \"x\"\nnext"}).code, 0);
  EXPECT_THAT(lab.lockstep({"note", "@1", "--json"}).out, HasSubstr("ü日本 \\\"x\\\"\\nnext"));
  EXPECT_EQ(lab.lockstep({"tag", "before", "--delete"}).code, 0);
  EXPECT_EQ(lab.lockstep({"report", "before"}).code, 2);
}

/// docs/training.md: how to see the proof of equal work fail.
TEST(Commands, ADeliberateFaultFailsTheProof) {
  const Lab lab;
  EXPECT_EQ(lab.lockstep({"verify", "reference:fault=gradient_scale", "-w", kTinyWork, "-s", "dp2"}).code, 1);
  EXPECT_EQ(lab.lockstep({"verify", "reference", "-w", kTinyWork, "-s", "dp2"}).code, 0);
}

/// From a recorded launch to a pipeline that is cut by what its ops took.
TEST(Commands, StagesAreCutByTheCostsOfARecordedLaunch) {
  const Lab lab;
  ASSERT_EQ(lab.lockstep({"run", "-w", kTinyWork, "-S", "reference", "-s", "serial", "-s", "dp2", "-n", "1",
                          "--no-verify", "--profile"})
                .code,
            0);
  const auto of = [&](const std::string& cell) {
    const auto launches = lab.lockstep({"list", "@1/mode:profile,strategy:" + cell}).out;
    std::smatch number;
    std::regex_search(launches, number, std::regex("\n(\\.[0-9]+) "));
    return "@1" + number[1].str();
  };
  EXPECT_THAT(lab.lockstep({"export", of("dp2"), "--costs"}).err,
              HasSubstr("only a serial launch runs every op whole"));
  const auto exported = lab.lockstep({"export", of("serial"), "--costs", "-o", "costs.json"});
  ASSERT_EQ(exported.code, 0) << exported.err;
  const auto page = lab.lockstep({"plan", kTinyWork, "pp2/stages:costs.json/1f1b:m=2"});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(page.out, HasSubstr("\npp2/stages:fc"));
  ASSERT_EQ(
      lab.lockstep({"run", "-w", kTinyWork, "-s", "pp2/stages:costs.json/1f1b:m=2", "-n", "1", "--no-verify"}).code, 0);
  EXPECT_THAT(lab.store().cells(lab.store().campaign(2)->id).front().strategy, HasSubstr("pp2/stages:fc"));
}

TEST(Commands, RerunRepeatsTheCellAndGcKeepsWhatIsNotImported) {
  const Lab lab;
  ASSERT_EQ(lab.lockstep({"run", "-w", kTinyWork, "-S", "fake", "-n", "2", "--no-verify"}).code, 0);
  ASSERT_EQ(lab.lockstep({"rerun", "@1.1", "--no-verify"}).code, 0);
  store::Store store = lab.store();
  EXPECT_EQ(store.launch(2, 1)->cell, store.launch(1, 1)->cell);
  fs::create_directories(lab.runs / "1" / "099");
  std::ofstream(lab.runs / "1" / "099" / "job.json") << "{}";
  EXPECT_THAT(lab.lockstep({"gc", "--older-than", "0"}).out, HasSubstr("not imported"));
  EXPECT_EQ(lab.lockstep({"gc", "--older-than", "0", "--delete"}).code, 0);
  EXPECT_TRUE(fs::exists(lab.runs / "1" / "099"));
  EXPECT_FALSE(fs::exists(lab.runs / "1" / "001"));
  EXPECT_EQ(lab.lockstep({"gc", "--older-than", "soon"}).code, 2);
}

}  // namespace
}  // namespace lockstep::testing
