#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "harness/cli/command.h"
#include "harness/environment/version.h"
#include "harness/exit_code.h"
#include "harness/launch/shell.h"

namespace lockstep::cli {
namespace {

const std::vector<Option> kCommon{
    {"--json", "", "print one JSON document (docs/formats.md)"},
    {"--store", "FILE", "results store (default: LOCKSTEP_STORE, else lockstep.db)"},
    {"--runs", "FOLDER", "run folders (default: LOCKSTEP_RUNS, else lockstep-runs)"},
};

std::string key_of(std::string_view names) {
  const size_t end = names.find(',');
  std::string key(names.substr(0, end));
  return key.substr(std::min(key.find_first_not_of('-'), key.size()));
}

struct Holder {
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, bool> flags;
};

void add_option(CLI::App& app, const Option& option, Holder& holder) {
  const std::string names(option.name), key = key_of(option.name), help(option.help);
  const bool positional = names[0] != '-';
  if (!positional && option.value.empty()) {
    app.add_flag(names, holder.flags[key], help);
    return;
  }
  CLI::Option* added = app.add_option(names, holder.values[key], help);
  added->type_name(positional ? "" : std::string(option.value));
  added->required(option.required);
  if (option.many) {
    added->expected(-1)->take_all();
    if (!positional) added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  } else {
    added->expected(1)->allow_extra_args(false);
    added->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  }
}

Arguments arguments_of(const Holder& holder) {
  Arguments arguments;
  for (const auto& [key, list] : holder.values) {
    if (!list.empty()) arguments.values[key] = list;
  }
  for (const auto& [key, set] : holder.flags) {
    if (set) arguments.values[key] = {};
  }
  return arguments;
}

std::string chosen(const Arguments& arguments, const char* flag, const char* variable, const char* otherwise) {
  if (arguments.has(flag)) return arguments.text(flag);
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// The command that was named, if it takes what stands after "--" as it is; else null.
const Command* taking_rest(int count, char** arguments) {
  const auto named = [&](const Command& command) { return count > 1 && command.name == arguments[1]; };
  const auto command = std::find_if(commands().begin(), commands().end(), named);
  return command == commands().end() || command->rest.empty() ? nullptr : &*command;
}

// A first word that is no command and no option; else empty.
std::string unknown_command(int count, char** arguments) {
  const std::string word = count > 1 ? arguments[1] : "";
  const auto named = [&](const Command& command) { return command.name == word; };
  const bool known = word.empty() || word[0] == '-' || word == "help" || std::ranges::any_of(commands(), named);
  return known ? "" : word;
}

std::string rest_text(const Command& command) {
  return fmt::format("lockstep {} [OPTIONS] -- {}", command.name, command.rest);
}

// "-20" after "show" is "--lines 20"; "help COMMAND" is "COMMAND --help".
std::vector<std::string> spelled_out(int count, char** arguments) {
  std::vector<std::string> all;
  if (count > 1 && std::string_view(arguments[1]) == "help") {
    return count > 2 ? std::vector<std::string>{"--help", arguments[2]} : std::vector<std::string>{"--help"};
  }
  for (int i = 1; i < count; ++i) {
    const std::string text = arguments[i];
    const bool digits =
        text.size() > 1 && text[0] == '-' && text.find_first_not_of("0123456789", 1) == std::string::npos;
    const bool lines = digits && i > 1 && std::string_view(arguments[1]) == "show";
    if (lines) all.emplace_back("--lines");
    all.push_back(lines ? text.substr(1) : text);
  }
  return {all.rbegin(), all.rend()};  // CLI11 takes them from the end
}

std::string joined(int count, char** arguments) {
  std::string line = "lockstep";
  for (int i = 1; i < count; ++i) line += " " + launch::shell_word(arguments[i]);
  return line;
}

int run_command(const Command& command, const Arguments& arguments, Context& context) {
  context.json = arguments.has("json");
  context.store = chosen(arguments, "store", "LOCKSTEP_STORE", "lockstep.db");
  context.runs = chosen(arguments, "runs", "LOCKSTEP_RUNS", "lockstep-runs");
  try {
    return command.run(arguments, context);
  } catch (const Failure& failure) {
    context.progress(std::string("lockstep ") + std::string(command.name) + ": " + failure.what() + "\n");
    return failure.kind() == "usage" ? kUsage : kFailed;
  } catch (const std::filesystem::filesystem_error& error) {
    context.progress(std::string("lockstep ") + std::string(command.name) + ": " + error.what() + "\n");
    return kFailed;
  }
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app("Measures, compares and explains distributed training of neural networks.", "lockstep");
  app.set_version_flag("--version", std::string("lockstep ") + environment::version());
  app.require_subcommand(0, 1);
  app.set_help_all_flag("--help-all", "help of all commands");
  std::map<const CLI::App*, std::pair<const Command*, Holder>> parsed;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    auto& [row, holder] = parsed[sub];
    row = &command;
    for (const Option& option : command.options) add_option(*sub, option, holder);
    for (const Option& option : kCommon) add_option(*sub, option, holder);
    std::string footer = command.rest.empty() ? "" : rest_text(command) + "\n";
    if (!command.examples.empty()) footer += "Examples:\n";
    for (const std::string_view line : command.examples) footer += fmt::format("  {}\n", line);
    if (!footer.empty()) sub->footer(footer);
  }
  if (const std::string word = unknown_command(count, arguments); !word.empty()) {
    std::vector<std::string_view> names;
    for (const Command& command : commands()) names.push_back(command.name);
    const Complaint complaint{"", "lockstep", word, "no such command",
                              "the nearest is '" + nearest(word, names) + "'; lockstep --help lists all"};
    std::fputs((complaint.text() + "\n").c_str(), stderr);
    return kUsage;
  }
  const Command* taker = taking_rest(count, arguments);
  char** const end = arguments + count;
  const int own =
      taker == nullptr ? count : static_cast<int>(std::find(arguments, end, std::string_view("--")) - arguments);
  try {
    app.parse(spelled_out(own, arguments));
  } catch (const CLI::ParseError& error) {
    const bool fine = app.exit(error) == 0;
    if (!fine && taker != nullptr) std::fputs((rest_text(*taker) + "\n").c_str(), stderr);
    return fine ? 0 : kUsage;
  }
  const auto subcommands = app.get_subcommands();
  if (subcommands.empty()) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  }
  const auto& [command, holder] = parsed.at(subcommands.front());
  Context context{look_at_terminal(), joined(count, arguments), false, {}, {}};
  Arguments given = arguments_of(holder);
  if (own < count) given.values[std::string(command->rest)].assign(arguments + own + 1, end);
  return run_command(*command, given, context);
}

}  // namespace lockstep::cli
