#include "harness/launch/adapter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "harness/launch/capture.h"
#include "results/store/id.h"

namespace lockstep::launch {
namespace fs = std::filesystem;
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

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Of a clean build: 7 hex digits at least, and no "+" behind them.
bool names_revision(const std::string& probe_json) {
  const nlohmann::json probe = nlohmann::json::parse(probe_json, nullptr, false);
  if (!probe.is_object() || !probe.contains("versions") || !probe["versions"].is_object()) return false;
  const std::string git = probe["versions"].value("git", "");
  return git.size() >= 7 && git.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Everything that a worker which is a script may read: the adapter's files and what all adapters share.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (fs::recursive_directory_iterator at(folder, none), end; !none && at != end; at.increment(none)) {
    if (at->path().filename() == "__pycache__") at.disable_recursion_pending();
    if (at->is_regular_file(none)) files.push_back(at->path());
  }
  files.push_back(folder.parent_path() / "contract" / "lockstep_worker.py");
  std::sort(files.begin(), files.end());
  return files;
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

std::string code_of(const Adapter& adapter) {
  if (names_revision(adapter.probe_json)) return "";
  std::string all = store::content_hash(bytes_of(adapter.worker));
  if (!contract::is_executable_of_ours(adapter.manifest)) {
    for (const fs::path& file : files_of(adapter.manifest.folder)) {
      all += "\n" + file.filename().string() + " " + store::content_hash(bytes_of(file));
    }
  }
  return store::content_hash(all).substr(0, 12);
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

store::SystemRow system_row(const Adapter& adapter) {
  const contract::Manifest& manifest = adapter.manifest;
  nlohmann::json claims = nlohmann::json::array();
  for (const contract::Claim& claim : manifest.claims)
    claims.push_back({{"term", claim.term}, {"origin", claim.origin}, {"own_name", claim.own_name}});
  store::SystemRow row;
  row.name = manifest.name, row.claims_json = claims.dump();
  row.manifest_json = bytes_of(manifest.folder / "manifest.json");
  if (!adapter.probe_json.empty()) row.probe_json = adapter.probe_json;
  return row;
}

}  // namespace lockstep::launch
