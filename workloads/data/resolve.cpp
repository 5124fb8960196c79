#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "adapters/contract/failure.h"
#include "workloads/data/nearest_remedy.h"
#include "workloads/data/readers.h"
#include "workloads/data/settings.h"
#include "workloads/data/workload.h"

namespace lockstep::workloads {

namespace {

constexpr int64_t kMostSamples = int64_t{1} << 50;

std::string plain_text(const Json& value) {
  if (value.is_null()) return "none";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Settings defaults(const Node& root) {
  Settings out;
  read_recipe(out.recipe, root.at("recipe").json(), root.file(), "$.recipe");
  const auto variables = root.find("variables");
  if (!variables) return out;
  const auto taken = out.keys();
  for (const auto& [name, node] : variables->members()) {
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
      node.refuse("has the name of a recipe key or argument", "choose another name");
    }
    if (!node.json().is_string()) node.integer(1, kMostSamples);
    out.variables.emplace_back(name, node.json());
  }
  return out;
}

void apply_preset(Settings& settings, const Node& presets, const std::string& preset) {
  const auto chosen = presets.find(preset);
  if (!chosen) {
    std::vector<std::string> known;
    for (const auto& [name, node] : presets.members()) known.push_back(name);
    refuse(
        {presets.file(), "preset", preset, "is no preset of this workload", nearest_remedy("preset", preset, known)});
  }
  if (chosen->find("steps") && chosen->find("epochs")) {
    chosen->refuse("has both steps and epochs", "keep one of them");
  }
  for (const auto& [key, node] : chosen->members()) {
    if (key == "source") {
      node.text();
    } else if (key != "data" || !node.json().is_object()) {  // a data set of the preset's own: read_data
      settings.set(key, plain_text(node.json()), presets.file(), node.place());
    }
  }
  if (!settings.steps && !settings.epochs) chosen->refuse("says no length", "add steps or epochs");
}

void apply_arguments(Settings& settings, const std::string& name, const std::vector<std::string>& args) {
  std::vector<std::string> seen;
  for (const std::string& arg : args) {
    const size_t equals = arg.find('=');
    if (equals == std::string::npos) {
      refuse({name, "argument", arg, "must be KEY=VALUE", "write it as lr=0.001"});
    }
    const std::string key = arg.substr(0, equals);
    const bool both = (key == "steps" || key == "epochs") && std::any_of(seen.begin(), seen.end(), [](const auto& k) {
                        return k == "steps" || k == "epochs";
                      });
    if (both || std::find(seen.begin(), seen.end(), key) != seen.end()) {
      refuse({name, "argument", arg, "is given twice, or both steps and epochs are", "keep one of them"});
    }
    seen.push_back(key);
    settings.set(key, arg.substr(equals + 1), name, "argument " + key);
  }
}

DataSpec read_data(const Node& node, bool synthetic) {
  node.only({"reader", "package", "train", "test"});
  DataSpec data;
  data.reader = node.at("reader").text();
  const Reader* reader = find_reader(data.reader);
  if (reader == nullptr || reader->synthetic.empty()) {
    node.at("reader").refuse("is no reader of real data", nearest_remedy("reader", data.reader, reader_names()));
  }
  const auto package = node.find("package");
  data.package = package ? package->text() : "";
  if (!package && !reader->package.empty())
    node.refuse("names no package", "add \"package\": \"" + reader->package + "\"");
  if (data.package != reader->package) {
    node.at("package").refuse("is not the package that the reader reads", "write " + reader->package);
  }
  data.train = node.at("train").integer(1, kMostSamples);
  data.test = node.at("test").integer(1, kMostSamples);
  if (synthetic) data = {reader->synthetic, data.reader, "", data.train, data.test};
  return data;
}

/// The data set of the file, or the preset's own.
Node data_of(const Node& root, const std::string& preset) {
  const auto own = root.at("presets").at(preset).find("data");
  return own && own->json().is_object() ? *own : root.at("data");
}

/// Samples of one part: all that every input has, or the number asked for.
int64_t samples_of(const Workload& workload, const std::string& key, int64_t records, std::optional<int64_t> wanted,
                   const std::string& file) {
  int64_t all = kMostSamples;
  for (const InputSpec& input : workload.inputs) all = std::min(all, input.samples(records));
  if (all < 1 || wanted.value_or(all) > all) {
    refuse({file, key, wanted ? fmt::format("{}", *wanted) : "all",
            fmt::format("the data set gives {} samples of this size", all), "ask for at most that many"});
  }
  return wanted.value_or(all);
}

Target read_target(const Node& node) {
  node.only({"metric", "at_least", "at_most", "every", "found"});
  Target target;
  target.metric = node.at("metric").text();
  const std::vector<std::string> metrics = {"test_accuracy", "bits_per_byte"};
  if (std::find(metrics.begin(), metrics.end(), target.metric) == metrics.end()) {
    node.at("metric").refuse("is no metric", nearest_remedy("metric", target.metric, metrics));
  }
  if (const auto bound = node.find("at_least")) target.at_least = bound->number();
  if (const auto bound = node.find("at_most")) target.at_most = bound->number();
  if (target.at_least.has_value() == target.at_most.has_value()) {
    node.refuse("must have one bound", "give at_least or at_most");
  }
  target.every = node.at("every").text();
  target.found = node.at("found").text();
  return target;
}

/// "250 steps", "1 epoch" in steps.
int64_t every_steps(const Node& node, const Workload& workload) {
  const std::string text = node.text();
  const size_t space = text.find(' ');
  const std::string unit = space == std::string::npos ? "" : text.substr(space + 1);
  const bool digits = space != 0 && space <= 9 && text.find_first_not_of("0123456789") == space;
  const int64_t count = digits ? std::stoll(text) : 0;
  if (count < 1 || (unit != "step" && unit != "steps" && unit != "epoch" && unit != "epochs")) {
    node.refuse("must be a number of steps or epochs", "write it as \"1 epoch\" or \"250 steps\"");
  }
  return unit[0] == 's' ? count : count * workload.steps_per_epoch();
}

void check_lengths(const Workload& workload, const std::string& file) {
  if (workload.recipe.batch > workload.train_samples) {
    refuse({file, "batch", fmt::format("{}", workload.recipe.batch),
            fmt::format("is more than the {} samples of an epoch", workload.train_samples),
            "choose a smaller batch or more samples"});
  }
  if (workload.recipe.warmup_steps > workload.steps) {
    refuse({file, "warmup_steps", fmt::format("{}", workload.recipe.warmup_steps),
            fmt::format("is more than the {} steps", workload.steps), "choose a shorter warm-up or more steps"});
  }
}

/// Refuses an unknown id, naming the nearest workload of the folder.
std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& id) {
  const auto path = folder / (id + ".json");
  if (std::filesystem::is_regular_file(path)) return path;
  std::vector<std::string> known;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") known.push_back(entry.path().stem().string());
  }
  std::sort(known.begin(), known.end());
  refuse({folder.string(), "workload", id, "is no workload of this folder", nearest_remedy("workload", id, known)});
}

std::string canonical_text(const std::string& id, const std::string& preset, const std::vector<std::string>& rest) {
  return rest.empty() ? fmt::format("{}:{}", id, preset) : fmt::format("{}:{},{}", id, preset, fmt::join(rest, ","));
}

}  // namespace

struct Folder::File {
  std::string name;
  Json json;
  std::map<std::string, std::string> graphs;  // the expanded ones, by the variables

  Node root() const { return {json, name}; }
  const std::string& graph(const Scope& scope, const std::vector<InputSpec>& inputs) {
    std::string& graph = graphs[Json(scope).dump()];
    if (!graph.empty()) return graph;
    std::set<std::string> names;
    for (const InputSpec& input : inputs) names.insert(input.name);
    return graph = expand_graph(root().at("graph"), scope, std::move(names)).dump();
  }
};

Folder::Folder(std::filesystem::path path) : path_(std::move(path)) {}
Folder::~Folder() = default;

Folder::File& Folder::file(const std::string& id) {
  std::unique_ptr<File>& file = files_[id];
  if (file) return *file;
  const auto path = file_of(path_, id);
  auto read = std::make_unique<File>(path.string(), read_json(path));
  const Node root = read->root();
  root.only({"workload", "title", "data", "inputs", "variables", "graph", "recipe", "presets", "target"});
  if (root.at("workload").text() != id) root.at("workload").refuse("is not the file's name", "write " + id);
  file = std::move(read);
  return *file;
}

Workload Folder::resolve(const std::string& id, const std::string& preset, const std::vector<std::string>& args) {
  File& read = file(id);
  const std::string& file = read.name;
  const Node root = read.root();
  Settings base = defaults(root);
  apply_preset(base, root.at("presets"), preset);
  Settings settings = base;
  apply_arguments(settings, id + ":" + preset, args);

  Workload out{id, preset, root.at("title").text()};
  out.recipe = settings.recipe;
  out.weak_scaling = settings.weak;
  out.data = read_data(data_of(root, preset), settings.synthetic);
  const Scope scope = settings.scope(file);
  out.inputs = inputs_from_json(substitute(root.at("inputs"), scope), file);
  out.graph = read.graph(scope, out.inputs);
  const auto all = [&](const char* key, int64_t records) { return samples_of(out, key, records, std::nullopt, file); };
  base.samples = base.samples.value_or(all("samples", out.data.train));
  base.test_samples = base.test_samples.value_or(all("test_samples", out.data.test));
  out.text = canonical_text(id, preset, settings.differences(base));
  out.train_samples = samples_of(out, "samples", out.data.train, settings.samples, file);
  out.test_samples = samples_of(out, "test_samples", out.data.test, settings.test_samples, file);
  out.steps = settings.steps ? *settings.steps : *settings.epochs * out.steps_per_epoch();
  check_lengths(out, file);
  if (const auto target = root.find("target")) {
    const Target checked = read_target(*target);
    out.evaluate_every = every_steps(target->at("every"), out);
    if (!settings.synthetic) out.target = checked;
  }
  return out;
}

Workload resolve(const std::filesystem::path& folder, const std::string& id, const std::string& preset,
                 const std::vector<std::string>& args) {
  return Folder(folder).resolve(id, preset, args);
}

}  // namespace lockstep::workloads
