#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/launch/desktop.h"
#include "harness/places/places.h"

namespace lockstep::cli {

// This process becomes the desktop program: its exit code is the answer, and Ctrl+C reaches it.
int gui(const Arguments& arguments, const Context& context) {
  const launch::Desktop desktop = launch::find_desktop(places::find().bin);
  if (!desktop.missing.empty()) {
    throw Failure("setup", Complaint{desktop.program.string(), "", "", desktop.missing,
                                     "or look at a page: lockstep report --format html"}
                               .text());
  }
  const std::filesystem::path& program = desktop.program;
  // Where nobody named a store and the usual one is not there, the program knows better: the last one used, or its
  // words.
  std::string store = arguments.text("STORE", arguments.text("store"));
  if (store.empty() && std::filesystem::exists(context.store)) store = context.store.string();
  execl(program.c_str(), "lockstep-gui", store.empty() ? nullptr : store.c_str(), nullptr);
  throw Failure("setup", fmt::format("{}: cannot be started: {}", program.string(), std::strerror(errno)));
}

}  // namespace lockstep::cli
