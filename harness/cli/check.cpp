#include "harness/check/check.h"

#include <fmt/format.h>

#include <cstdlib>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/cli/settings.h"
#include "harness/cli/split.h"
#include "harness/exit_code.h"
#include "harness/launch/capture.h"
#include "harness/report/save.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

bool is_revision(const std::string& text) {
  return text.size() >= 4 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// "git:main" as "git:1a2b3c4d5e6f", by the repository of the current folder.
std::string with_revision(const std::string& selector) {
  if (!selector.starts_with("git:")) return selector;
  const size_t end = std::min(selector.find('/', 4), selector.size());
  const std::string name = selector.substr(4, end - 4);
  if (is_revision(name)) return selector;
  const auto parsed = launch::capture({"git", "rev-parse", "--verify", "--short=12", name + "^{commit}"}, 10);
  if (parsed.code != 0) {
    refuse({"", "--baseline", selector, "git knows no such revision here", "name a branch, a tag or a revision"});
  }
  return "git:" + parsed.out.substr(0, parsed.out.find('\n')) + selector.substr(end);
}

check::Request request_of(const Arguments& arguments) {
  check::Request request;
  request.suite = arguments.text("SUITE");
  request.baseline = with_revision(arguments.text("baseline"));
  request.candidate = arguments.text("candidate");
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
  const check::Result result = check::check(request_of(arguments), settings, places::find());
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
