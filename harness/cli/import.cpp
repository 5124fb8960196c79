#include <fmt/format.h>

#include "harness/cli/commands.h"
#include "harness/collect/collect.h"
#include "harness/json/writer.h"

namespace lockstep::cli {

int import(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store(store::OpenMode::create);
  collect::Imported all;
  for (const std::string& folder : arguments.list("FOLDER")) {
    const collect::Imported one = collect::import_folder(store, folder);
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
