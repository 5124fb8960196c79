#include <fmt/format.h>
#include <fmt/ranges.h>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/launch/shell.h"

/// Shell completion from the table of commands: names of commands, then options of the command.
namespace lockstep::cli {
namespace {

std::vector<std::string> names_of(const Command& command) {
  std::vector<std::string> out;
  for (const Option& option : command.options) {
    if (option.name.starts_with("-")) out.emplace_back(option.name.substr(0, option.name.find(',')));
  }
  out.insert(out.end(), {"--json", "--store", "--runs", "--help"});
  return out;
}

std::vector<std::string> all_commands() {
  std::vector<std::string> out{"help"};
  for (const Command& command : commands()) out.emplace_back(command.name);
  return out;
}

constexpr const char* kBash = R"sh(# eval "$(lockstep completion bash)"
_lockstep() {{
  local words="{}" current="${{COMP_WORDS[COMP_CWORD]}}"
  if [ "$COMP_CWORD" -gt 1 ] && [ "${{COMP_WORDS[1]}}" != help ]; then
    case "${{COMP_WORDS[1]}}" in
{}    *) words="" ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _lockstep lockstep
)sh";

constexpr const char* kZsh = R"sh(#compdef lockstep
# eval "$(lockstep completion zsh)"
_lockstep() {{
  local -a commands
  commands=(
    'help:how a command is used'
{}  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  [[ $PREFIX == -* ]] && case $words[2] in
{}  esac
  _files
}}
compdef _lockstep lockstep
)sh";

std::string bash() {
  std::string cases;
  for (const Command& command : commands()) {
    cases += fmt::format("    {}) words=\"{}\" ;;\n", command.name, fmt::join(names_of(command), " "));
  }
  return fmt::format(fmt::runtime(kBash), fmt::join(all_commands(), " "), cases);
}

/// A colon parts name and description in _describe.
std::string zsh_item(std::string_view name, std::string_view help) {
  std::string text;
  for (const char c : name) text += c == ':' ? "\\:" : std::string(1, c);
  return launch::single_quoted(text + ":" + std::string(help));
}

std::string zsh() {
  std::string table, cases;
  for (const Command& command : commands()) {
    table += "    " + zsh_item(command.name, command.summary) + "\n";
    cases += fmt::format("    {}) _values option {} && return ;;\n", command.name, fmt::join(names_of(command), " "));
  }
  return fmt::format(fmt::runtime(kZsh), table, cases);
}

std::string fish() {
  std::string out = "# lockstep completion fish | source\n";
  for (const Command& command : commands()) {
    out += fmt::format("complete -c lockstep -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       launch::single_quoted(command.summary));
    for (const std::string& name : names_of(command)) {
      out +=
          fmt::format("complete -c lockstep -n '__fish_seen_subcommand_from {}' -l {}\n", command.name, name.substr(2));
    }
  }
  return out;
}

}  // namespace

int completion(const Arguments& arguments, const Context& context) {
  const std::string shell = arguments.text("SHELL");
  if (shell == "bash") return context.print(bash()), 0;
  if (shell == "zsh") return context.print(zsh()), 0;
  if (shell == "fish") return context.print(fish()), 0;
  refuse({"", "SHELL", shell, "no such shell; there are bash, zsh, fish", "eval \"$(lockstep completion bash)\""});
}

}  // namespace lockstep::cli
