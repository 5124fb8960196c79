#include <fmt/format.h>

#include <algorithm>

#include "adapters/contract/failure.h"
#include "adapters/contract/plural.h"
#include "harness/cli/commands.h"
#include "harness/cli/result.h"
#include "harness/cli/settings.h"
#include "harness/exec/campaign.h"
#include "harness/exec/expression.h"
#include "harness/exec/formats.h"
#include "harness/exec/lines.h"
#include "harness/exec/log_test.h"
#include "harness/launch/capture.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kLongest = 1e7;  // s

// "VAR=value", several of them.
exec::Variant variant_from(const Arguments& arguments, const std::string& option, const std::string& label) {
  exec::Variant variant{label, {}};
  for (const std::string& text : arguments.list(option)) {
    const size_t mark = text.find('=');
    if (mark == std::string::npos || mark == 0) {
      refuse({"", "--" + option, text, "expected VAR=value", fmt::format("--{} OMP_NUM_THREADS=1", option)});
    }
    variant.variables.emplace_back(text.substr(0, mark), text.substr(mark + 1));
  }
  std::sort(variant.variables.begin(), variant.variables.end());
  for (size_t i = 1; i < variant.variables.size(); ++i) {
    if (variant.variables[i].first != variant.variables[i - 1].first) continue;
    refuse({"", "--" + option, variant.variables[i].first, "is given twice", "one value for each variable"});
  }
  return variant;
}

// The script's name, or the program's.
std::string name_of(const std::vector<std::string>& command) {
  const auto is_script = [](const std::string& word) {
    const std::string suffix = fs::path(word).extension().string();
    return suffix == ".py" || suffix == ".sh" || suffix == ".bash";
  };
  const auto script = std::find_if(command.begin(), command.end(), is_script);
  return fs::path(script == command.end() ? command.front() : *script).stem().string();
}

std::optional<int64_t> given(const Arguments& arguments, const std::string& name, int64_t low, int64_t high) {
  return arguments.has(name) ? std::optional(arguments.integer(name, 0, low, high)) : std::nullopt;
}

exec::Experiment experiment_from(const Arguments& arguments) {
  exec::Experiment e;
  e.command = arguments.list("COMMAND");
  if (e.command.empty()) {
    refuse({"", "", "", "no command is given", "lockstep exec -n 6 -- torchrun train.py; what stands after -- is run"});
  }
  if (launch::find_executable(e.command.front()).empty()) {
    refuse({"", "", e.command.front(), "no such program, or not executable", "a script: -- bash script.sh"});
  }
  e.directory = fs::current_path().string();
  e.name_is_given = arguments.has("name");
  e.name = arguments.text("name", name_of(e.command));
  if (e.name.empty()) refuse({"", "--name", "", "is empty", "name the workload"});
  e.variants.push_back(variant_from(arguments, "a", "A"));
  if (arguments.has("b")) e.variants.push_back(variant_from(arguments, "b", "B"));
  e.warmup = given(arguments, "warmup", 0, 1'000'000);
  e.samples = given(arguments, "samples", 1, 1'000'000'000'000),
  e.tokens = given(arguments, "tokens", 1, 1'000'000'000'000);
  e.launches = arguments.integer("launches", e.launches, 1, 10'000);
  e.timeout_s = arguments.number("timeout", e.timeout_s, 0.1, kLongest);
  return e;
}

// Which lines are read: checked before anything starts.
std::string log_from(const Arguments& arguments) {
  std::string log = arguments.text("log", "auto");
  if (log == "auto") return log;
  for (const std::string& text : exec::format_of(log).expressions) exec::Expression(exec::written_out(text));
  return log;
}

int test_log(const Arguments& arguments, const Context& context) {
  const std::string file = arguments.text("log-test");
  const exec::LogTest test{file, exec::read_log(file), log_from(arguments)};
  context.print(context.json ? exec::to_json(test) : exec::to_text(test));
  return 0;
}

std::string variants_text(const exec::Experiment& experiment) {
  std::string text;
  for (const exec::Variant& variant : experiment.variants) {
    text += (text.empty() ? "" : " and ") + exec::strategy_text(variant);
  }
  return text;
}

std::string announcement(const exec::Experiment& e) {
  return fmt::format("{}: {} x {}; steps by {}; warm-up {}; deadline {} s a launch; equal work: not checked\n",
                     exec::workload_text(e), variants_text(e), plural(e.launches, "launch", "launches"),
                     e.log == "auto" ? "the format that matches" : e.log,
                     e.warmup ? fmt::format("{} steps", *e.warmup) : "a tenth of the steps, at most 20", e.timeout_s);
}

}  // namespace

int exec_command(const Arguments& arguments, const Context& context) {
  if (arguments.has("log-test")) return test_log(arguments, context);
  exec::Experiment experiment = experiment_from(arguments);
  experiment.log = log_from(arguments);
  context.progress(announcement(experiment));
  return print_outcome(context, exec::start(experiment, run_settings(arguments, context), places::find()));
}

}  // namespace lockstep::cli
