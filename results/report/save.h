#pragma once

#include <filesystem>
#include <string>

#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// "lockstep-report/quickstart-1.html"
std::filesystem::path html_file(const store::CampaignRow& campaign);

/// Writes a file, and its folder where it is missing. Throws Failure("setup").
void save(const std::filesystem::path& file, const std::string& text);

}  // namespace lockstep::report
