#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "adapters/contract/failure.h"
#include "adapters/contract/manifest.h"
#include "adapters/contract/nearest.h"
#include "harness/cli/commands.h"
#include "harness/exit_code.h"
#include "harness/launch/adapter.h"
#include "harness/launch/capture.h"
#include "harness/places/places.h"
#include "results/json/writer.h"

namespace lockstep::cli {
namespace {

struct Known {
  contract::Manifest manifest;
  std::optional<launch::Adapter> probed;
};

contract::Manifest named(const std::vector<contract::Manifest>& all, const std::string& name) {
  std::vector<std::string> names;
  for (const contract::Manifest& manifest : all) {
    if (manifest.name == name) return manifest;
    names.push_back(manifest.name);
  }
  refuse({"", "NAME", name, "no adapter of that name",
          fmt::format("nearest: {}; there are: {}", nearest(name, names), fmt::join(names, ", "))});
}

void write(json::Writer& out, const Known& known) {
  const contract::Manifest& m = known.manifest;
  out.open_object().member("system", m.name).member("title", m.title).member("framework", m.framework);
  out.member("licence", m.licence).key("fabrics").open_array();
  for (const contract::LaunchRecipe& recipe : m.launch) {
    if (!recipe.fabric.empty()) out.value(recipe.fabric);
  }
  out.close().key("claims").open_array();
  for (const contract::Claim& claim : m.claims) {
    out.open_object()
        .member("term", claim.term)
        .member("origin", claim.origin)
        .known("own_name", claim.own_name)
        .close();
  }
  out.close().member("installable", m.install.has_value());
  if (known.probed) {
    out.member("available", known.probed->missing.empty()).known("reason", known.probed->missing);
    out.known("python", known.probed->python);
    if (!known.probed->probe_json.empty()) out.key("probe").raw(known.probed->probe_json);
  }
  out.close();
}

std::string text_of(const Known& known) {
  std::string line = fmt::format("{:<12}{}\n", known.manifest.name, known.manifest.title);
  if (!known.probed) return line;
  if (!known.probed->missing.empty()) return line + fmt::format("{:12}missing: {}\n", "", known.probed->missing);
  line +=
      fmt::format("{:12}{}", "", known.probed->python.empty() ? known.probed->worker.string() : known.probed->python);
  const std::string versions = launch::versions_text(*known.probed);
  return line + (versions.empty() ? "" : "; " + versions) + "\n";
}

void print(const Context& context, const std::vector<Known>& all) {
  if (!context.json) {
    for (const Known& known : all) context.print(text_of(known));
    return;
  }
  json::Writer out;
  out.open_object().member("format", "lockstep.systems").member("version", 1).key("systems").open_array();
  for (const Known& known : all) write(out, known);
  context.print(out.close().close().text());
}

// Runs the installer in the foreground, its output being the progress.
int install(const Context& context, const contract::Manifest& manifest, const places::Places& places) {
  if (!manifest.install || manifest.install->command.empty()) {
    refuse({"", "NAME", manifest.name, "this adapter has nothing to install", ""});
  }
  const contract::Install& recipe = *manifest.install;
  launch::Adapter adapter{manifest, contract::worker_path(manifest, places.workers), "", "", ""};
  auto values = launch::template_values(adapter);
  values["environment"] = (contract::environments_folder(manifest.name) / recipe.environment).string();
  context.progress(fmt::format("{}: {:.0f} MB to download, {:.0f} MB on disk, into {}\n{}\n", manifest.name,
                               recipe.download_mb, recipe.disk_mb, values["environment"], recipe.note));
  std::vector<std::string> command = contract::expand_command(recipe.command, values);
  command[0] = launch::find_executable(command[0]);
  std::vector<char*> pointers;
  for (std::string& text : command) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Failure("setup", fmt::format("{} did not succeed", fmt::join(command, " ")));
  }
  return 0;
}

}  // namespace

int systems(const Arguments& arguments, const Context& context) {
  const places::Places places = places::find();
  std::vector<contract::Manifest> manifests = contract::read_manifests(places.adapters);
  const std::string action = arguments.text("ACTION", "list"), name = arguments.text("NAME");
  if (action != "list" && action != "probe" && action != "install") {
    refuse({"", "ACTION", action, "expected list, probe or install", ""});
  }
  if (action == "install") {
    if (name.empty()) refuse({"", "NAME", "", "which adapter?", "lockstep systems lists all"});
    install(context, named(manifests, name), places);
  }
  if (!name.empty()) manifests = {named(manifests, name)};
  std::vector<Known> all;
  for (const contract::Manifest& manifest : manifests) {
    all.push_back({manifest, {}});
    if (action != "list") all.back().probed = launch::find_adapter(manifest, places, "");
  }
  print(context, all);
  const bool missing =
      std::any_of(all.begin(), all.end(), [](const Known& k) { return k.probed && !k.probed->missing.empty(); });
  return missing && !name.empty() ? kFailed : 0;
}

}  // namespace lockstep::cli
