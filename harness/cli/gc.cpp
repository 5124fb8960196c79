#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/collect/launch_file.h"
#include "results/json/writer.h"
#include "results/report/figures.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kNsADay = 86400e9;

/// A launch's run folder, and what would be lost with it. Samples are in the store; logs and timelines are not.
struct RunFolder {
  fs::path path;
  std::string kind;  ///< mode of the launch; "not imported" where the store does not know it
  double days = 0;   ///< since the launch ended
  uintmax_t bytes = 0;
};

uintmax_t bytes_of(const fs::path& folder) {
  uintmax_t sum = 0;
  std::error_code gone;
  for (const auto& entry : fs::recursive_directory_iterator(folder, gone)) {
    if (entry.is_regular_file(gone)) sum += entry.file_size(gone);
  }
  return sum;
}

/// The launch that a folder is of, as it says itself: a store may know another store's folder of the same name.
std::string id_in(const fs::path& folder) {
  try {
    return collect::read_launch_file(folder).launch.id;
  } catch (const Failure&) {
    return "";
  }
}

std::map<fs::path, const store::LaunchRow*> by_folder(const std::vector<store::LaunchRow>& launches,
                                                      const fs::path& store_folder) {
  std::map<fs::path, const store::LaunchRow*> out;
  for (const store::LaunchRow& launch : launches) {
    if (!launch.run_folder.empty()) out[(store_folder / launch.run_folder).lexically_normal()] = &launch;
  }
  return out;
}

std::vector<RunFolder> run_folders(const Context& context, const std::vector<store::LaunchRow>& launches) {
  const fs::path store_folder = fs::absolute(context.store).lexically_normal().parent_path();
  const fs::path runs = fs::absolute(context.runs).lexically_normal();
  const auto known = by_folder(launches, store_folder);
  const double now = static_cast<double>(store::now_utc_ns());
  std::vector<RunFolder> out;
  std::error_code none;
  for (const auto& campaign : fs::directory_iterator(runs, none)) {
    if (!campaign.is_directory() || campaign.path().filename() == "shared") continue;
    for (const auto& launch : fs::directory_iterator(campaign.path(), none)) {
      if (!launch.is_directory()) continue;
      RunFolder folder{launch.path(), "not imported", 0, bytes_of(launch.path())};
      const auto row = known.find(launch.path());
      if (row != known.end() && store::is_over(row->second->status) && id_in(launch.path()) == row->second->id) {
        folder.kind = store::to_text(row->second->mode);
        const int64_t last = std::max(row->second->ended_utc_ns, row->second->started_utc_ns);
        folder.days = (now - static_cast<double>(last)) / kNsADay;
      }
      out.push_back(std::move(folder));
    }
  }
  std::sort(out.begin(), out.end(), [](const RunFolder& a, const RunFolder& b) { return a.path < b.path; });
  return out;
}

double days_of(const Arguments& arguments) {
  std::string text = arguments.text("older-than", "30d");
  if (text.ends_with("d")) text.pop_back();
  try {
    size_t used = 0;
    const double days = std::stod(text, &used);
    if (used == text.size() && days >= 0) return days;
  } catch (const std::exception&) {
  }
  refuse({"", "--older-than", arguments.text("older-than"), "a number of days", "--older-than 30d"});
}

std::string mebibytes(uintmax_t bytes) { return report::number(static_cast<double>(bytes) / 1048576); }

}  // namespace

int gc(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  const double days = days_of(arguments);
  const bool remove = arguments.has("delete"), timelines = arguments.has("timelines");
  struct Sum {
    int64_t folders = 0, old = 0;
    uintmax_t bytes = 0, old_bytes = 0;
  };
  std::map<std::string, Sum> kinds;
  Sum removed;
  for (const RunFolder& folder : run_folders(context, store.launches({}))) {
    Sum& sum = kinds[folder.kind];
    ++sum.folders, sum.bytes += folder.bytes;
    // What the store lacks would be lost: `lockstep import` first.
    if (folder.kind == "not imported" || folder.days < days) continue;
    ++sum.old, sum.old_bytes += folder.bytes;
    if (!remove || (folder.kind == "profile" && !timelines)) continue;
    fs::remove_all(folder.path);
    ++removed.folders, removed.bytes += folder.bytes;
  }
  if (context.json) {
    json::Writer out;
    out.open_object().member("format", "lockstep.gc").member("version", 1).key("kinds").open_array();
    for (const auto& [kind, sum] : kinds) {
      out.open_object().member("kind", kind).member("folders", sum.folders).member("bytes", sum.bytes);
      out.member("old_folders", sum.old).member("old_bytes", sum.old_bytes).close();
    }
    context.print(out.close().member("removed", removed.folders).member("removed_bytes", removed.bytes).close().text());
    return 0;
  }
  report::Columns columns;
  columns.add({"run folders of", "folders", "MiB", fmt::format("over {:g} days old", days), "MiB"});
  for (const auto& [kind, sum] : kinds) {
    columns.add({kind, fmt::format("{}", sum.folders), mebibytes(sum.bytes), fmt::format("{}", sum.old),
                 mebibytes(sum.old_bytes)});
  }
  context.print(kinds.empty() ? "no run folders\n" : columns.text(1));
  if (remove) {
    context.print(fmt::format("{} folders removed, {} MiB\n", removed.folders, mebibytes(removed.bytes)));
  } else if (!kinds.empty()) {
    context.print(
        "samples are in the store; logs and timelines only here. --delete removes the old ones, timelines "
        "only with --timelines\n");
  }
  return 0;
}

}  // namespace lockstep::cli
