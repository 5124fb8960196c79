#include "results/report/save.h"

#include <fmt/format.h>

#include <fstream>

#include "adapters/contract/failure.h"

namespace lockstep::report {

std::filesystem::path html_file(const store::CampaignRow& campaign) {
  std::string suite = campaign.suite.empty() ? "campaign" : campaign.suite;
  for (char& c : suite) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return std::filesystem::path("lockstep-report") / fmt::format("{}-{}.html", suite, campaign.number);
}

void save(const std::filesystem::path& file, const std::string& text) {
  std::error_code failed;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), failed);
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Failure("setup", file.string() + ": cannot be written; is the folder yours, and is there space?");
}

}  // namespace lockstep::report
