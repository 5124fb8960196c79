#include "tests/structure/dependencies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/structure/dependency_table.h"
#include "tests/structure/source_tree.h"

namespace lockstep::structure {
namespace {

const Module* module_of(std::string_view file) {
  const Module* best = nullptr;
  for (const Module& module : kModules) {
    if (file.starts_with(module.folder) && (!best || module.folder.size() > best->folder.size())) best = &module;
  }
  return best;
}

void add_uses(std::string_view name, std::set<std::string_view>& out) {
  if (!out.insert(name).second) return;
  for (const Module& module : kModules) {
    if (module.name != name) continue;
    for (std::string_view used : words(module.uses)) add_uses(used, out);
  }
}

bool starts_with_any(std::string_view path, const auto& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return path.starts_with(p); });
}

std::string folder(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }
bool is_header(std::string_view file) { return file.ends_with(".h"); }

/// Empty when the module may include it.
std::string complaint(const Module& module, const Include& include) {
  if (!include.quoted) {
    const bool wrong =
        starts_with_any(include.path, kPlaced) && !starts_with_any(include.path, words(module.third_party));
    return wrong ? "third-party code that is not its own" : "";
  }
  if (std::find(kForAll.begin(), kForAll.end(), include.path) != kForAll.end()) return "";
  const Module* other = module_of(include.path);
  if (!other) return "of no module: includes are from the root, and tests are not for others";
  std::set<std::string_view> may;
  add_uses(module.name, may);
  return may.count(other->name) ? "" : fmt::format("of {}", other->name);
}

}  // namespace

std::vector<std::string> wrong_includes(const Sources& sources) {
  std::vector<std::string> out;
  for (const auto& [file, text] : sources) {
    const Module* module = module_of(file);
    if (!module) continue;
    for (const Include& include : includes(text)) {
      const std::string why = complaint(*module, include);
      if (!why.empty()) {
        out.push_back(
            fmt::format("{}:{}: {} may not include {} ({})", file, include.line, module->name, include.path, why));
      }
    }
  }
  return out;
}

std::vector<std::string> heavy_headers(const Sources& sources) {
  std::map<std::string, std::vector<std::string>> foreign_readers;  // of a header: files of other folders
  for (const auto& [file, text] : sources) {
    for (const Include& include : includes(text)) {
      if (include.quoted && folder(file) != folder(include.path)) foreign_readers[include.path].push_back(file);
    }
  }
  std::vector<std::string> out;
  for (const auto& [file, text] : sources) {
    const std::vector<std::string>& readers = foreign_readers[file];
    if (readers.size() <= kMostForeignReaders && std::none_of(readers.begin(), readers.end(), is_header)) continue;
    for (const Include& include : includes(text)) {
      if (!include.quoted && starts_with_any(include.path, kHeavy)) {
        out.push_back(fmt::format("{}:{}: {} in a header that {} include", file, include.line, include.path,
                                  fmt::join(readers, ", ")));
      }
    }
  }
  return out;
}

}  // namespace lockstep::structure
