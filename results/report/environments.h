#pragma once

#include <set>
#include <string>

#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// What a campaign's launches ran in, each text once.
struct Environments {
  std::set<std::string> machines;  ///< "2 CPUs = 2 threads of 1 core (AMD EPYC 7B13), no GPU"
  std::set<std::string> kernels;   ///< "Debian GNU/Linux 12 (bookworm), kernel 6.1.0-28"
  std::set<std::string> torch;     ///< "torch 1.13.1 (OpenBLAS)"
  std::set<std::string> versions;  ///< "pytorch: blas OpenBLAS, python 3.11.2, torch 1.13.1": no paths
};

/// "2 CPUs = 2 threads of 1 core (AMD EPYC 7B13), no GPU"; `gpu` empty: none.
std::string machine_text(int64_t processors, int64_t cores, const std::string& cpu, const std::string& gpu);

Environments environments_of(store::Store& store, const snapshot::CampaignSnapshot& snapshot);

}  // namespace lockstep::report
