#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/store/store.h"

/// A command of `lockstep`: a small file and a row in the table of commands.cpp.
namespace lockstep::cli {

/// One option or, without dashes, one positional argument.
struct Option {
  std::string_view name;   ///< "--launches,-n", "SUITE"
  std::string_view value;  ///< what follows: "N"; empty: a flag. Ignored for positionals
  std::string_view help;
  bool required = false;
  bool many = false;  ///< may be given several times
};

/// What was given, by the long name without dashes or the positional's name.
class Arguments {
 public:
  std::map<std::string, std::vector<std::string>> values;

  bool has(const std::string& name) const { return values.contains(name); }
  /// The first value, or `otherwise`.
  std::string text(const std::string& name, const std::string& otherwise = "") const;
  std::vector<std::string> list(const std::string& name) const;
  /// Failure "usage" when it is no number in the range.
  int64_t integer(const std::string& name, int64_t otherwise, int64_t low, int64_t high) const;
  double number(const std::string& name, double otherwise, double low, double high) const;
};

/// Where output goes and how it may look.
struct Terminal {
  bool out_is_terminal = false, err_is_terminal = false, colour = false;
  int width = 100;
};

/// Reads NO_COLOR, CLICOLOR_FORCE, TERM and the size of the terminal.
Terminal look_at_terminal();

struct Context {
  Terminal terminal;
  std::string command_line;
  bool json = false;
  std::filesystem::path store, runs;  ///< flag, environment, default

  void print(std::string_view text) const;     ///< to stdout: the result
  void progress(std::string_view text) const;  ///< to stderr
  /// Failure "usage" that says how to make one.
  lockstep::store::Store open_store(lockstep::store::OpenMode mode = lockstep::store::OpenMode::read_write) const;
};

struct Command {
  std::string_view name, summary;
  std::vector<Option> options;
  int (*run)(const Arguments&, const Context&);
  std::vector<std::string_view> examples = {};  ///< whole command lines, shown under the options
  std::string_view rest = "";  ///< the name of what stands after "--", which is taken as it is; empty: nothing may
};

/// Every command, in the order of the help.
std::span<const Command> commands();

/// Parses the command line and runs the command. Returns the exit code: 0, 2 usage, or what the command says.
int main(int count, char** arguments);

}  // namespace lockstep::cli
