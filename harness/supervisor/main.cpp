#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "harness/supervisor/stamp.h"
#include "harness/supervisor/start.h"
#include "harness/supervisor/supervise.h"

// lockstep-supervisor FOLDER   runs FOLDER/supervisor-order.json; descriptor 3 is the harness's pipe
// lockstep-supervisor redirect COMMAND [ARGUMENT...]   under launchers: a rank's output to files of its own
// lockstep-supervisor stamp DIRECTORY COMMAND [ARGUMENT...]   notes when each piece of the command's output came
int main(int count, char** arguments) {
  using namespace lockstep::supervisor;
  if (count >= 3 && std::string_view(arguments[1]) == "redirect") return redirect(arguments + 2);
  if (count >= 4 && std::string_view(arguments[1]) == "stamp") return stamp(arguments[2], arguments + 3);
  if (count != 2) {
    std::fputs("lockstep-supervisor is started by lockstep run; see docs/command-line.md\n", stderr);
    return 2;
  }
  try {
    setsid();  // out of the terminal's process group: Ctrl-C is the harness's to handle
    return supervise(arguments[1]).left == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-supervisor: %s\n", error.what());
    return 1;
  }
}
