#include "harness/launch/adapter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "harness/launch/capture.h"

namespace lockstep::launch {
namespace {

constexpr double kProbeSeconds = 120;  // the first import of a large framework from a cold disk

std::string how_to_install(const contract::Manifest& manifest) {
  if (!manifest.install) return "";
  std::string packages;
  for (const std::string& package : manifest.install->distribution) packages += " " + package;
  if (packages.empty()) return fmt::format("; lockstep systems install {}", manifest.name);
  return fmt::format("; apt-get install{} or lockstep systems install {}", packages, manifest.name);
}

std::string last_line(const std::string& text) {
  const size_t end = text.find_last_not_of("\n ");
  if (end == std::string::npos) return "";
  const size_t start = text.rfind('\n', end);
  return text.substr(start == std::string::npos ? 0 : start + 1,
                     end - (start == std::string::npos ? 0 : start + 1) + 1);
}

// Runs the probe; the reason why it gave no JSON, or empty.
std::string run_probe(Adapter& adapter) {
  if (adapter.manifest.probe.empty()) return "";
  const auto command = contract::expand_command(adapter.manifest.probe, template_values(adapter));
  const Captured captured = capture(command, kProbeSeconds);
  if (captured.late) return fmt::format("{}: the probe took longer than {:.0f} s", command[0], kProbeSeconds);
  if (captured.code != 0) return fmt::format("{}: {}", command[0], last_line(captured.err));
  const nlohmann::json document = nlohmann::json::parse(captured.out, nullptr, false);
  if (!document.is_object()) return command[0] + ": the probe printed no JSON object";
  adapter.probe_json = document.dump();
  return "";
}

// The first interpreter with which the probe works.
void find_interpreter(Adapter& adapter, const std::string& environment) {
  const contract::Manifest& manifest = adapter.manifest;
  const char* variable =
      manifest.interpreter.variable.empty() ? nullptr : std::getenv(manifest.interpreter.variable.c_str());
  std::string tried;
  for (const std::string& candidate : contract::interpreter_candidates(
           manifest, variable != nullptr ? variable : "", environment, contract::environments_folder(manifest.name))) {
    if (access(candidate.c_str(), X_OK) != 0) {
      tried += (tried.empty() ? "" : "; ") + candidate + ": not there";
      continue;
    }
    adapter.python = candidate;
    const std::string problem = run_probe(adapter);
    if (problem.empty()) return;
    tried += (tried.empty() ? "" : "; ") + problem;
  }
  adapter.missing = fmt::format("{} is not installed: {}{}", manifest.name, tried, how_to_install(manifest));
}

}  // namespace

std::map<std::string, std::string> template_values(const Adapter& adapter) {
  return {{"worker", adapter.worker.string()},
          {"adapter", std::filesystem::absolute(adapter.manifest.folder).string()},
          {"python", adapter.python}};
}

Adapter find_adapter(const contract::Manifest& manifest, const places::Places& places, const std::string& environment) {
  Adapter adapter{manifest, contract::worker_path(manifest, places.workers), "", "", ""};
  if (access(adapter.worker.c_str(), F_OK) != 0) {
    adapter.missing =
        fmt::format("{} is not there: it was not built, or the installation lacks it", adapter.worker.string());
  } else if (!manifest.interpreter.language.empty()) {
    find_interpreter(adapter, environment);
  } else if (const std::string problem = run_probe(adapter); !problem.empty()) {
    adapter.missing = problem;
  }
  return adapter;
}

std::string versions_text(const Adapter& adapter) {
  const nlohmann::json probe = nlohmann::json::parse(adapter.probe_json, nullptr, false);
  if (!probe.is_object() || !probe.contains("versions") || !probe["versions"].is_object()) return "";
  const nlohmann::json& versions = probe["versions"];
  const std::string& name = adapter.manifest.framework;
  std::string text;
  for (const auto& [key, value] : versions.items()) {
    const bool wanted = key == "torch" || key == "git" || key == "onednn" || key == "mpi" || key == name;
    if (wanted && value.is_string())
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key, value.get<std::string>());
  }
  if (versions.contains("blas") && versions["blas"].is_string()) {
    text += fmt::format(" ({})", versions["blas"].get<std::string>());
  }
  return text;
}

}  // namespace lockstep::launch
