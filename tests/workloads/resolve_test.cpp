#include <nlohmann/json.hpp>

#include "tests/workloads/scratch.h"
#include "workloads/data/workload.h"

namespace lockstep::workloads {
namespace {

using Json = nlohmann::ordered_json;

Workload gpt(const std::vector<std::string>& args = {}) { return resolve(kWorkloads, "gpt-austen", "tiny", args); }

TEST(Resolve, CanonicalTextHasOnlyWhatDiffers) {
  EXPECT_EQ(gpt().text, "gpt-austen:tiny");
  EXPECT_EQ(gpt({"batch=8", "layers=2", "scaling=strong", "data=real", "steps=110", "lr=2e-3", "clip=1.0"}).text,
            "gpt-austen:tiny");
  EXPECT_EQ(gpt({"data=synthetic", "scaling=weak", "layers=3", "batch=16", "clip=none", "lr=1e-3"}).text,
            "gpt-austen:tiny,lr=0.001,batch=16,clip=none,layers=3,data=synthetic,scaling=weak");
}

TEST(Resolve, CanonicalTextResolvesToItself) {
  const Workload first = gpt({"test_samples=100", "samples=200", "epochs=3", "width=32", "seed=7"});
  const std::string rest = first.text.substr(first.text.find(',') + 1);
  std::vector<std::string> args;
  for (size_t at = 0; at != std::string::npos;) {
    const size_t comma = rest.find(',', at);
    args.push_back(rest.substr(at, comma == std::string::npos ? comma : comma - at));
    at = comma == std::string::npos ? comma : comma + 1;
  }
  EXPECT_EQ(gpt(args).json(), first.json());
}

TEST(Resolve, AllSamplesAskedForIsTheDefault) {
  EXPECT_EQ(resolve(kWorkloads, "mlp-fashion", "tiny", {"samples=60000", "test_samples=10000"}).text,
            "mlp-fashion:tiny");
}

TEST(Resolve, EpochsAndStepsReplaceEachOther) {
  EXPECT_EQ(resolve(kWorkloads, "mlp-fashion", "desk", {}).steps, 12 * 469);  // ceil(60000 / 128)
  EXPECT_EQ(resolve(kWorkloads, "mlp-fashion", "desk", {"batch=100"}).steps, 12 * 600);
  EXPECT_EQ(resolve(kWorkloads, "mlp-fashion", "desk", {"steps=150"}).text, "mlp-fashion:desk,steps=150");
  EXPECT_EQ(resolve(kWorkloads, "mlp-fashion", "tiny", {"epochs=1"}).steps, 469);
}

TEST(Resolve, RepeatsAndVariablesBecomeAFlatGraph) {
  const Workload workload = gpt({"layers=3", "width=96", "heads=6"});
  const Json graph = Json::parse(workload.graph);
  ASSERT_EQ(graph.size(), 2 + 3 * 9 + 3);
  EXPECT_EQ(graph[2], Json::parse(R"({"op":"layer_norm","name":"b0.ln1","in":"pos"})"));
  EXPECT_EQ(graph[11], Json::parse(R"({"op":"layer_norm","name":"b1.ln1","in":"b0.out"})"));
  EXPECT_EQ(graph[12]["out"], Json::parse(R"({"gate":3,"heads":6,"head_dim":16})"));
  EXPECT_EQ(graph[17]["out"], Json::parse(R"({"ffn":384})"));
  EXPECT_EQ(graph[29]["in"], "b2.out");
  EXPECT_EQ(workload.graph.find('$'), std::string::npos);
  EXPECT_EQ(workload.train_samples, (3558175 - 1) / 64);
}

TEST(Resolve, JsonReadsBack) {
  for (const Listed& listed : list(kWorkloads)) {
    for (const std::string& preset : listed.presets) {
      const Workload workload = resolve(kWorkloads, listed.id, preset, {});
      EXPECT_EQ(workload_from_json(workload.json(), "job.json").json(), workload.json()) << workload.text;
      EXPECT_EQ(workload.target.has_value(), workload.evaluate_every > 0);
    }
    for (const char* preset : {"micro", "tiny", "paper"}) EXPECT_THAT(listed.presets, testing::Contains(preset));
  }
}

TEST(Resolve, MicroPresetsHaveUnevenBatches) {
  for (const Listed& listed : list(kWorkloads)) {
    const Workload micro = resolve(kWorkloads, listed.id, "micro", {});
    EXPECT_EQ(micro.steps, 100);
    EXPECT_NE(micro.train_samples % micro.recipe.batch, 0) << listed.id;
    EXPECT_GT(micro.steps, micro.steps_per_epoch()) << listed.id << " must come to a ragged batch";
  }
}

TEST(Resolve, APresetMayHaveADataSetOfItsOwn) {
  const Workload paper = resolve(kWorkloads, "vgg16", "paper", {});
  EXPECT_EQ(paper.data.reader, "imagenet");
  EXPECT_EQ(paper.train_samples, 1281167);
  EXPECT_EQ(resolve(kWorkloads, "vgg16", "paper", {"data=synthetic"}).data.like, "imagenet");
  EXPECT_EQ(resolve(kWorkloads, "vgg16", "tiny", {}).data.reader, "fashion-mnist-resized");
}

TEST(Resolve, SyntheticDataHasNoTarget) {
  const Workload workload = gpt({"data=synthetic"});
  EXPECT_EQ(workload.data.reader, "synthetic-bytes");
  EXPECT_EQ(workload.data.like, "austen");
  EXPECT_FALSE(workload.target);
}

TEST(Resolve, ListsWorkloads) {
  std::vector<std::string> ids;
  for (const Listed& listed : list(kWorkloads)) ids.push_back(listed.id);
  EXPECT_THAT(ids, testing::UnorderedElementsAre("cnn-fashion", "gpt-austen", "lstm-austen", "mlp-digits",
                                                 "mlp-fashion", "alexnet", "bert", "dlrm", "gpt2", "moe-gpt",
                                                 "resnet20", "resnet50", "vgg16", "vit"));
}

TEST(Resolve, RefusesBadArguments) {
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> bad = {
      {{"lrr=1"}, {"gpt-austen:tiny: argument lrr", "'lr'"}},
      {{"layer=2"}, {"'layers'"}},
      {{"lr"}, {"must be KEY=VALUE"}},
      {{"lr=1", "lr=1"}, {"given twice"}},
      {{"steps=1", "epochs=1"}, {"both steps and epochs"}},
      {{"steps=0"}, {"steps must be a whole number"}},
      {{"layers=1.5"}, {"layers must be a whole number"}},
      {{"data=synthetc"}, {"'synthetic'"}},
      {{"scaling=week"}, {"'weak'"}},
      {{"heads=5"}, {"$.variables.head_dim", "64 / 5 is not a whole number"}},
      {{"samples=100000"}, {"samples", "gives 55596 samples"}},
      {{"samples=4"}, {"batch: 8", "4 samples"}},
      {{"warmup_steps=111"}, {"warmup_steps", "110 steps"}},
  };
  for (const auto& [args, parts] : bad) expect_failure("usage", parts, [&, a = args] { gpt(a); });
}

TEST(Resolve, RefusesUnknownWorkloadsAndPresets) {
  expect_failure("usage", {"gpt-austin", "'gpt-austen'"}, [] { resolve(kWorkloads, "gpt-austin", "tiny", {}); });
  expect_failure("usage", {"gpt-austen.json", "tinny", "'tiny'"},
                 [] { resolve(kWorkloads, "gpt-austen", "tinny", {}); });
}

/// A small workload with one edit: `pointer` set to `value` (removed when that is empty).
Workload edited(const Scratch& scratch, const std::string& pointer, const std::string& value) {
  Json json = Json::parse(R"({"workload": "w", "title": "t",
    "data": {"reader": "digits", "package": "python3-sklearn", "train": 1198, "test": 599},
    "inputs": {"image": {"array": "image", "dims": {"chan_in": 1, "height": 8, "width": 8}, "type": "real"},
               "label": {"array": "label", "dims": {}, "type": "index"}},
    "variables": {"width": 4},
    "graph": [{"op": "linear", "name": "fc", "in": "image", "out": {"class": 10}},
              {"op": "softmax_cross_entropy", "name": "loss", "in": ["fc", "label"]}],
    "recipe": {"lr": 0.1}, "presets": {"tiny": {"steps": 5, "source": "nobody"}},
    "target": {"metric": "test_accuracy", "at_least": 0.9, "every": "2 epochs", "found": "f"}})");
  const Json::json_pointer place(pointer);
  if (value.empty()) {
    json[place.parent_pointer()].erase(place.back());
  } else if (!pointer.empty()) {
    json[place] = Json::parse(value);
  }
  scratch.write("w.json", "// a comment\n" + json.dump(1));
  return resolve(scratch.path(), "w", "tiny", {});
}

TEST(Resolve, EvaluationRuleBecomesSteps) {
  const Scratch scratch;
  EXPECT_EQ(edited(scratch, "/target/every", "\"2 epochs\"").evaluate_every, 2 * 1198);
  EXPECT_EQ(edited(scratch, "/target/every", "\"1 epoch\"").evaluate_every, 1198);
  EXPECT_EQ(edited(scratch, "/target/every", "\"250 steps\"").evaluate_every, 250);
}

TEST(Resolve, RefusesBadFilesNamingThePlace) {
  struct Case {
    std::string pointer, value;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases = {
      {"/titel", "1", {"$.titel", "'title'"}},
      {"/workload", "\"v\"", {"$.workload", "not the file's name"}},
      {"/title", "7", {"$.title", "7", "must be a text"}},
      {"/data", "", {"'data' is missing"}},
      {"/data/reader", "\"digit\"", {"$.data.reader", "'digits'"}},
      {"/data/package", "\"p\"", {"$.data.package", "python3-sklearn"}},
      {"/data/train", "0", {"$.data.train", "from 1"}},
      {"/data/trai", "1", {"'train'"}},
      {"/inputs/image/tpye", "1", {"$.inputs.image.tpye", "'type'"}},
      {"/inputs/image/type", "\"rael\"", {"'real'"}},
      {"/inputs/label/scale", "2", {"for real inputs only"}},
      {"/inputs/label/window", "4", {"stride"}},
      {"/inputs/label/dims", "{\"seq\": \"$sek\"}", {"$.inputs.label.dims.seq", "'$sek'", "nearest variable"}},
      {"/variables/lr", "3", {"$.variables.lr", "name of a recipe key"}},
      {"/variables/a", "\"$width*z\"", {"$.variables.a", "neither a whole number nor a variable"}},
      {"/graph", "{}", {"$.graph", "must be a list"}},
      {"/graph/0/in", "\"imag\"", {"$.graph[0].in", "'image'"}},
      {"/graph/0/name", "\"image\"", {"$.graph[0].name", "another tensor"}},
      {"/graph/0/op", "", {"$.graph[0]", "'op' is missing"}},
      {"/graph/0/out", "{\"class\": \"$wdth\"}", {"$.graph[0].out.class", "'$wdth'", "'width'"}},
      {"/graph/0",
       "{\"repeat\": 0, \"index\": \"i\", \"from\": \"image\", \"as\": \"x\", \"ops\": [], \"yields\": \"y\"}",
       {"$.graph[0].repeat", "from 1"}},
      {"/recipe/lr", "-1", {"$.recipe.lr", "above 0"}},
      {"/recipe/rl", "1", {"$.recipe.rl", "'lr'"}},
      {"/presets/tiny/steps", "", {"$.presets.tiny", "no length"}},
      {"/presets/tiny/epochs", "2", {"both steps and epochs"}},
      {"/presets/tiny/widht", "2", {"$.presets.tiny.widht", "'width'"}},
      {"/target/metric", "\"accuracy\"", {"$.target.metric", "'test_accuracy'"}},
      {"/target/at_least", "", {"$.target", "one bound"}},
      {"/target/every", "\"often\"", {"$.target.every", "250 steps"}},
      {"/target/every", "\"0 steps\"", {"$.target.every"}},
  };
  const Scratch scratch;
  EXPECT_EQ(edited(scratch, "/title", "\"t\"").text, "w:tiny");
  for (const Case& one : cases) {
    SCOPED_TRACE(one.pointer + " " + one.value);
    std::vector<std::string> parts = one.parts;
    parts.push_back("w.json");
    expect_failure("usage", parts, [&] { edited(scratch, one.pointer, one.value); });
  }
  scratch.write("w.json", "{ \"workload\": }");
  expect_failure("usage", {"w.json", "line 1"}, [&] { resolve(scratch.path(), "w", "tiny", {}); });
}

}  // namespace
}  // namespace lockstep::workloads
