#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "adapters/contract/manifest.h"
#include "harness/places/places.h"
#include "results/store/rows.h"

namespace lockstep::launch {

/// An adapter as it was found on this machine.
struct Adapter {
  contract::Manifest manifest;
  std::filesystem::path worker;
  std::string python;      ///< the interpreter; empty where the worker is an executable
  std::string probe_json;  ///< what the probe printed; empty where there is no probe
  std::string missing;     ///< why it cannot run here and what to do; empty: it can
};

/// Finds the worker and the interpreter and runs the probe. `environment` is the option `env` of the system text.
Adapter find_adapter(const contract::Manifest& manifest, const places::Places& places, const std::string& environment);

/// What command templates of an adapter know before there is a launch: worker, adapter, python.
std::map<std::string, std::string> template_values(const Adapter& adapter);

/// What tells the code of an adapter from that of another of the same version: a hash of the worker and the files of
/// the adapter's folder, 12 hex digits. Empty where its probe names the revision of unchanged files: that says it all.
std::string code_of(const Adapter& adapter);

/// "torch 1.13.1 (OpenBLAS)": the versions that a probe told, for people; empty without.
std::string versions_text(const Adapter& adapter);

/// The adapter as a store keeps it: what its manifest says and claims, and what the probe told.
store::SystemRow system_row(const Adapter& adapter);

}  // namespace lockstep::launch
