#include "harness/cli/settings.h"

namespace lockstep::cli {

run::Settings run_settings(const Arguments& arguments, const Context& context) {
  run::Settings settings;
  settings.store = context.store, settings.runs = context.runs, settings.command_line = context.command_line;
  settings.patience = arguments.number("patience", 1, 0.01, 1000);
  settings.wait_idle_s = 60 * arguments.number("wait-idle", 0, 0, 1e5);
  settings.print = [&context](const std::string& text) { context.progress(text); };
  settings.terminal = context.terminal.err_is_terminal, settings.width = context.terminal.width;
  return settings;
}

}  // namespace lockstep::cli
