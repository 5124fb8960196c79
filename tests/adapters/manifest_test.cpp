#include "adapters/contract/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/contract/failure.h"
#include "tests/adapters/scratch.h"

namespace lockstep::contract {
namespace {

const std::filesystem::path kAdapters = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "adapters";

TEST(Manifest, EveryAdaptersManifestIsValidAndExpands) {
  const std::vector<Manifest> manifests = read_manifests(kAdapters);
  std::vector<std::string> names;
  for (const Manifest& manifest : manifests) {
    names.push_back(manifest.name);
    EXPECT_EQ(manifest.folder.filename(), manifest.name);
    EXPECT_FALSE(manifest.claims.empty()) << manifest.name;
    ASSERT_NE(manifest.launch_on(""), nullptr) << manifest.name;
    for (const LaunchRecipe& recipe : manifest.launch) {
      const auto command = expand_command(
          recipe.command,
          {{"worker", "W"}, {"job", "J"}, {"python", "P"}, {"ranks", "2"}, {"rank", "0"}, {"port", "1"}});
      EXPECT_THAT(command, testing::Contains("J"));
    }
    if (!manifest.worker.starts_with("bin:")) {
      EXPECT_TRUE(std::filesystem::exists(worker_path(manifest, ""))) << manifest.worker;
    }
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"constant", "fake", "pytorch", "reference"}));
  EXPECT_EQ(manifests.size(), names.size());
}

std::string manifest_refusal(const std::string& text) {
  try {
    parse_manifest(text, "manifest.json");
    return "accepted";
  } catch (const Failure& failure) {
    return failure.what();
  }
}

TEST(Manifest, MessagesNamePlaceValueRuleAndRemedy) {
  const std::string head = R"({"contract":1,"name":"x","title":"t","framework":"f","licence":"l","worker":"w",)";
  const std::string launch = R"("launch":[{"fabric":"","kind":"single","command":["{worker}"]}],)";
  const std::string ops = R"("workload_ops":[])";
  EXPECT_EQ(manifest_refusal(head + launch + ops + "}"), "accepted");
  EXPECT_EQ(manifest_refusal(head + launch + ops + R"(,"timeout":{}})"),
            "manifest.json: timeout: is not a known key; did you mean timeouts?");
  EXPECT_EQ(manifest_refusal(head + R"("launch":[{"fabric":"","kind":"torchrn","command":["x"]}],)" + ops + "}"),
            "manifest.json: launch[0].kind: torchrn: must be single, ranks-by-env, mpirun or custom");
  EXPECT_EQ(manifest_refusal(head + launch + ops + R"(,"claims":[{"term":"dp{n}","origin":"ours"}]})"),
            "manifest.json: claims[0].origin: ours: must be native or harness");
  EXPECT_EQ(manifest_refusal(head + launch + ops + R"(,"timeouts":{"step":0}})"),
            "manifest.json: timeouts: 0: must be more than 0 seconds");
}

TEST(Manifest, TemplatesRefuseUnknownNames) {
  EXPECT_EQ(expand_command({"-n{ranks}", "a{rank}b{rank}"}, {{"rank", "1"}, {"ranks", "4"}}),
            (std::vector<std::string>{"-n4", "a1b1"}));
  EXPECT_THROW(expand_command({"{rnk}"}, {{"rank", "1"}}), Failure);
}

TEST(Manifest, InterpreterIsTheNamedOneOrTheDistributions) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.folder() / "torch-2");
  Manifest manifest;
  manifest.interpreter.paths = {"/usr/bin/python3"};
  const std::string installed = (scratch.folder() / "torch-2" / "bin" / "python3").string();
  using Paths = std::vector<std::string>;
  EXPECT_EQ(interpreter_candidates(manifest, "", "", scratch.folder()), (Paths{"/usr/bin/python3", installed}));
  EXPECT_EQ(interpreter_candidates(manifest, "/x/python", "", scratch.folder()), (Paths{"/x/python"}));
  EXPECT_EQ(interpreter_candidates(manifest, "/x/python", "torch-2", scratch.folder()), (Paths{installed}));
}

}  // namespace
}  // namespace lockstep::contract
