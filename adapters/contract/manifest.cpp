#include "adapters/contract/manifest.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "adapters/contract/job.h"
#include "adapters/contract/json_document.h"
#include "adapters/contract/json_fields.h"

namespace lockstep::contract {
namespace {

constexpr std::string_view kOurs = "bin:";
constexpr std::array<std::string_view, 4> kKinds = {"single", "ranks-by-env", "mpirun", "custom"};

LaunchRecipe read_launch(const Fields& fields) {
  fields.only({"fabric", "kind", "command", "environment", "roles"});
  LaunchRecipe recipe;
  std::string kind;
  fields.required("fabric", recipe.fabric);
  fields.required("kind", kind);
  fields.required("command", recipe.command);
  fields.optional("environment", recipe.environment);
  fields.optional("roles", recipe.roles);
  const auto found = std::find(kKinds.begin(), kKinds.end(), kind);
  if (found == kKinds.end()) fields.complain("kind", kind, "must be single, ranks-by-env, mpirun or custom", "");
  if (recipe.command.empty()) fields.complain("command", "", "must not be empty", "");
  recipe.kind = static_cast<LaunchKind>(found - kKinds.begin());
  return recipe;
}

Claim read_claim(const Fields& fields) {
  fields.only({"term", "origin", "own_name"});
  Claim claim;
  fields.required("term", claim.term);
  fields.required("origin", claim.origin);
  fields.optional("own_name", claim.own_name);
  if (claim.origin != "native" && claim.origin != "harness")
    fields.complain("origin", claim.origin, "must be native or harness", "");
  return claim;
}

OptionRule read_option(const Fields& fields) {
  fields.only({"name", "values", "fallback", "help"});
  OptionRule rule;
  fields.required("name", rule.name);
  fields.optional("values", rule.values);
  fields.optional("fallback", rule.fallback);
  fields.required("help", rule.help);
  return rule;
}

Interpreter read_interpreter(const Fields& fields) {
  fields.only({"language", "minimum", "variable", "paths", "imports"});
  Interpreter interpreter;
  fields.required("language", interpreter.language);
  fields.optional("minimum", interpreter.minimum);
  fields.optional("variable", interpreter.variable);
  fields.required("paths", interpreter.paths);
  fields.optional("imports", interpreter.imports);
  return interpreter;
}

Install read_install(const Fields& fields) {
  fields.only({"distribution", "command", "environment", "download_mb", "disk_mb", "note"});
  Install install;
  fields.optional("distribution", install.distribution);
  fields.optional("command", install.command);
  fields.optional("environment", install.environment);
  fields.optional("download_mb", install.download_mb);
  fields.optional("disk_mb", install.disk_mb);
  fields.optional("note", install.note);
  return install;
}

Timeouts read_timeouts(const Fields& fields) {
  fields.only({"start", "prepare", "idle", "step", "stop"});
  Timeouts timeouts;
  fields.optional("start", timeouts.start);
  fields.optional("prepare", timeouts.prepare);
  fields.optional("idle", timeouts.idle);
  fields.optional("step", timeouts.step);
  fields.optional("stop", timeouts.stop);
  for (const double seconds : {timeouts.start, timeouts.prepare, timeouts.idle, timeouts.step, timeouts.stop}) {
    if (!(seconds > 0)) fields.complain("", fmt::format("{}", seconds), "must be more than 0 seconds", "");
  }
  return timeouts;
}

void read_identity(const Fields& fields, Manifest& manifest) {
  fields.required("contract", manifest.contract);
  if (manifest.contract != kContract)
    fields.complain("contract", std::to_string(manifest.contract), fmt::format("must be {}", kContract),
                    "use an adapter for this version of the contract");
  fields.required("name", manifest.name);
  fields.required("title", manifest.title);
  fields.required("framework", manifest.framework);
  fields.required("licence", manifest.licence);
  fields.optional("homepage", manifest.homepage);
  fields.optional("languages", manifest.languages);
  fields.required("worker", manifest.worker);
}

/// Replaces {names}; a brace without a closing one stays as it is.
std::string expand(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t open = text.find('{', at);
    const size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) break;
    const std::string name = text.substr(open + 1, close - open - 1);
    const auto found = values.find(name);
    if (found == values.end()) {
      std::vector<std::string> known;
      for (const auto& [key, value] : values) known.push_back(key);
      refuse({"", text, name, "is not a name that command templates know here",
              fmt::format("use one of {}", fmt::join(known, ", "))});
    }
    out += text.substr(at, open - at) + found->second;
    at = close + 1;
  }
  return out + text.substr(at);
}

}  // namespace

const LaunchRecipe* Manifest::launch_on(std::string_view fabric) const {
  for (const LaunchRecipe& recipe : launch)
    if (recipe.fabric == fabric) return &recipe;
  return nullptr;
}

Manifest parse_manifest(std::string_view text, const std::filesystem::path& file) {
  const nlohmann::ordered_json document = parse_document(text, file);
  const Fields fields(document, file, "");
  fields.only({"contract", "name", "title", "framework", "languages", "licence", "homepage", "worker", "interpreter",
               "probe", "install", "launch", "claims", "workload_ops", "precisions", "options", "checkpoints",
               "timeouts"});
  Manifest manifest;
  read_identity(fields, manifest);
  if (fields.has("interpreter")) manifest.interpreter = read_interpreter(fields.object("interpreter"));
  fields.optional("probe", manifest.probe);
  if (fields.has("install")) manifest.install = read_install(fields.object("install"));
  for (const Fields& entry : fields.objects("launch")) manifest.launch.push_back(read_launch(entry));
  if (manifest.launch.empty()) fields.complain("launch", "", "must have at least one entry", "");
  for (const Fields& entry : fields.objects("claims")) manifest.claims.push_back(read_claim(entry));
  fields.required("workload_ops", manifest.workload_ops);
  fields.optional("precisions", manifest.precisions);
  for (const Fields& entry : fields.objects("options")) manifest.options.push_back(read_option(entry));
  fields.optional("checkpoints", manifest.checkpoints);
  if (fields.has("timeouts")) manifest.timeouts = read_timeouts(fields.object("timeouts"));
  manifest.folder = file.parent_path();
  return manifest;
}

Manifest read_manifest(const std::filesystem::path& file) { return parse_manifest(read_text(file), file); }

std::vector<Manifest> read_manifests(const std::filesystem::path& adapters_folder) {
  std::vector<Manifest> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(adapters_folder, error)) {
    const std::filesystem::path file = entry.path() / "manifest.json";
    if (std::filesystem::exists(file)) out.push_back(read_manifest(file));
  }
  if (error) {
    refuse({adapters_folder.string(), "", "", "cannot be listed: " + error.message(),
            "name the folder with the adapters"});
  }
  std::sort(out.begin(), out.end(), [](const Manifest& a, const Manifest& b) { return a.name < b.name; });
  return out;
}

bool is_executable_of_ours(const Manifest& manifest) { return manifest.worker.starts_with(kOurs); }

std::filesystem::path worker_path(const Manifest& manifest, const std::filesystem::path& bin) {
  if (is_executable_of_ours(manifest)) return bin / manifest.worker.substr(kOurs.size());
  return std::filesystem::absolute(manifest.folder / manifest.worker);
}

std::vector<std::string> interpreter_candidates(const Manifest& manifest, const std::string& variable_value,
                                                const std::string& env_option,
                                                const std::filesystem::path& environments) {
  const auto python_of = [](const std::filesystem::path& environment) {
    return (environment / "bin" / "python3").string();
  };
  if (!env_option.empty()) return {python_of(environments / env_option)};
  if (!variable_value.empty()) return {variable_value};
  std::vector<std::string> installed;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(environments, none))
    installed.push_back(python_of(entry.path()));
  std::sort(installed.rbegin(), installed.rend());
  std::vector<std::string> out = manifest.interpreter.paths;
  out.insert(out.end(), installed.begin(), installed.end());
  return out;
}

std::filesystem::path environments_folder(const std::string& adapter) {
  const char* data = std::getenv("XDG_DATA_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path base =
      data && *data ? std::filesystem::path(data) : std::filesystem::path(home ? home : "/root") / ".local" / "share";
  return base / "lockstep" / "adapters" / adapter;
}

std::vector<std::string> expand_command(const std::vector<std::string>& command,
                                        const std::map<std::string, std::string>& values) {
  std::vector<std::string> out;
  for (const std::string& argument : command) out.push_back(expand(argument, values));
  return out;
}

}  // namespace lockstep::contract
