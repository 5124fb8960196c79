#include <fmt/format.h>

#include <filesystem>

#include "harness/cli/commands.h"
#include "harness/collect/collect.h"
#include "harness/collect/record_file.h"
#include "results/json/writer.h"

namespace lockstep::cli {

namespace {

collect::Imported import_path(store::Store& store, const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return collect::import_folder(store, path);
  return store.import_launch(collect::read_record_file(path)) ? collect::Imported{1, 0} : collect::Imported{0, 1};
}

}  // namespace

int import(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store(store::OpenMode::create);
  collect::Imported all;
  for (const std::string& path : arguments.list("PATH")) {
    const collect::Imported one = import_path(store, path);
    all.launches += one.launches, all.known += one.known;
  }
  if (context.json) {
    json::Writer out;
    out.open_object().member("format", "lockstep.import").member("version", 1).member("imported", all.launches);
    context.print(out.member("known", all.known).close().text());
  } else {
    context.print(fmt::format("{} launches imported, {} were there already\n", all.launches, all.known));
  }
  return 0;
}

}  // namespace lockstep::cli
