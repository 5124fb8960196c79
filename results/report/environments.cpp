#include "results/report/environments.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "adapters/contract/plural.h"

namespace lockstep::report {
namespace {

using Json = nlohmann::json;

std::string member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void add_machine(Environments& out, const Json& m) {
  out.machines.insert(
      machine_text(m.value("processors", 1), m.value("cores", 1), m.value("cpu", "?"), m.value("gpu", "")));
  const std::string distribution = member(m, "distribution"), kernel = member(m, "kernel");
  if (!kernel.empty()) out.kernels.insert((distribution.empty() ? "" : distribution + ", ") + "kernel " + kernel);
}

/// By system and name: launches of one system may tell more than others (MPI), or differ.
using Versions = std::map<std::string, std::map<std::string, std::set<std::string>>>;

// An interpreter's path tells nothing about another machine. MPI's text goes on for a line after the version.
void add_versions(Versions& out, const std::string& system, const Json& versions) {
  for (const auto& [name, value] : versions.items()) {
    const std::string version = value.is_string() ? value.get<std::string>() : value.dump();
    if (version.empty() || version[0] == '/' || name == "mpi_oversubscribed") continue;
    out[system][name].insert(version.substr(0, version.find(',')));
  }
}

std::string version_text(const std::string& system, const Versions::mapped_type& versions) {
  std::vector<std::string> all;
  for (const auto& [name, values] : versions) {
    all.push_back(name == "mpi" ? fmt::format("{}", fmt::join(values, " and "))
                                : fmt::format("{} {}", name, fmt::join(values, " and ")));
  }
  return fmt::format("{}: {}", system, fmt::join(all, ", "));
}

}  // namespace

std::string machine_text(int64_t processors, int64_t cores, const std::string& cpu, const std::string& gpu) {
  const std::string cores_text = plural(cores, "core");
  const std::string threads =
      processors == cores ? cores_text : fmt::format("{} CPUs = {} threads of {}", processors, processors, cores_text);
  return fmt::format("{} ({}), {}", threads, cpu, gpu.empty() ? "no GPU" : gpu);
}

Environments environments_of(store::Store& store, const snapshot::CampaignSnapshot& snapshot) {
  Environments out;
  Versions by_system;
  for (const std::string& hash : snapshot.environments) {
    const auto row = store.environment(hash);
    const Json document = row ? Json::parse(row->json, nullptr, false) : Json();
    if (!document.is_object()) continue;
    if (document.contains("machine")) add_machine(out, document["machine"]);
    const Json versions = document.value("versions", Json::object());
    const std::string torch = member(versions, "torch");
    if (!torch.empty()) out.torch.insert(fmt::format("torch {} ({})", torch, versions.value("blas", "?")));
    add_versions(by_system, member(document, "system"), versions);
  }
  for (const auto& [system, all] : by_system) out.versions.insert(version_text(system, all));
  return out;
}

}  // namespace lockstep::report
