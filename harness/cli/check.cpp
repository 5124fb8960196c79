#include "harness/check/check.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/cli/commands.h"
#include "harness/cli/revision.h"
#include "harness/cli/settings.h"
#include "harness/cli/split.h"
#include "harness/exit_code.h"
#include "results/report/save.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

check::Request request_of(const Arguments& arguments, const Context& context) {
  store::Store store = context.open_store();
  check::Request request;
  request.suite = arguments.text("SUITE");
  request.baseline = with_revision(store, "--baseline", arguments.text("baseline"));
  if (arguments.has("candidate")) {
    request.candidate = with_revision(store, "--candidate", arguments.text("candidate"));
  }
  request.baseline_build = arguments.text("baseline-build");
  request.vary = split(arguments.text("vary"));
  request.pairs = arguments.integer("pairs", request.pairs, 6, 1000);
  request.budget_s = 60 * arguments.number("budget", request.budget_s / 60, 0, 1e6);
  request.run = !arguments.has("no-run");
  return request;
}

int code_of(const check::Result& result, const Arguments& arguments) {
  if (result.interrupted) return kInterrupted;
  return check::exit_code(result.items, arguments.has("strict"), arguments.has("no-run"));
}

}  // namespace

int check(const Arguments& arguments, const Context& context) {
  const fs::path folder = arguments.text("output", "lockstep-check");
  run::Settings settings = run_settings(arguments, context);
  settings.verify = !arguments.has("no-verify");
  const check::Result result = check::check(request_of(arguments, context), settings, places::find());
  const int code = code_of(result, arguments);
  report::save(folder / "junit.xml", check::to_junit(result));
  report::save(folder / "summary.md", check::to_markdown(result, code));
  report::save(folder / "check.json", check::to_json(result, code));
  if (context.json) {
    context.print(check::to_json(result, code));
    return code;
  }
  if (arguments.has("annotations") || std::getenv("GITHUB_ACTIONS") != nullptr) {
    context.print(check::annotations(result));
  }
  context.print(check::to_text(result, code));
  context.progress(fmt::format("wrote junit.xml, summary.md and check.json to {}\n", folder.string()));
  return code;
}

}  // namespace lockstep::cli
