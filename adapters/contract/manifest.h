#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::contract {

/// How the ranks of a launch come to life. `single`: one process hosts all ranks. `ranks_by_env`: one process a rank,
/// told apart by environment variables. `mpirun`: one command starts all. `custom`: the adapter's own launcher command.
enum class LaunchKind { kSingle, kRanksByEnv, kMpirun, kCustom };

/// One way to launch. Templates know {worker} {adapter} {job} {folder} {rank} {ranks} {python} {port} {threads}.
struct LaunchRecipe {
  std::string fabric;  ///< "" for one rank, "threads", "mpi", "gloo", ...
  LaunchKind kind = LaunchKind::kSingle;
  std::vector<std::string> command;  ///< argv
  std::map<std::string, std::string> environment;
  std::vector<std::string> roles;  ///< besides workers: "server", "scheduler"
};

/// A strategy term that the adapter does. `term` may hold "{n}": "dp{n}".
struct Claim {
  std::string term;
  std::string origin;    ///< "native": the framework's own; "harness": moved by us
  std::string own_name;  ///< what the framework calls it
};

/// An option of the system text, as in "pytorch:bucket_cap_mb=100".
struct OptionRule {
  std::string name;
  std::vector<std::string> values;  ///< allowed ones; empty: any
  std::string fallback;             ///< the value when it is not given
  std::string help;
};

/// How to find the interpreter of a script worker.
struct Interpreter {
  std::string language;              ///< "python"; empty: the worker is an executable
  std::string minimum;               ///< version, such as "3.9"
  std::string variable;              ///< environment variable that overrides all
  std::vector<std::string> paths;    ///< absolute paths, best last resort last
  std::vector<std::string> imports;  ///< modules that must be importable
};

/// What `lockstep systems install NAME` does.
struct Install {
  std::vector<std::string> distribution;  ///< packages of the distribution
  std::vector<std::string> command;       ///< template; also knows {environment}, the new virtual environment's folder
  std::string environment;                ///< default name of the virtual environment
  double download_mb = 0, disk_mb = 0;
  std::string note;
};

/// Deadlines in seconds, all scaled by one factor of the harness.
struct Timeouts {
  double start = 30;     ///< until hello
  double prepare = 120;  ///< hello until ready
  double idle = 60;      ///< without any event
  double step = 60;      ///< one step
  double stop = 10;      ///< from done to the end of the process
};

struct Manifest {
  int contract = 1;
  std::string name, title, framework, licence, homepage;
  std::vector<std::string> languages;
  std::string worker;  ///< a file of the adapter's folder, or the name of an executable of ours ("bin:lockstep-worker")
  Interpreter interpreter;
  std::vector<std::string> probe;  ///< template; prints one JSON object of versions and capabilities
  std::optional<Install> install;
  std::vector<LaunchRecipe> launch;
  std::vector<Claim> claims;
  std::vector<std::string> workload_ops;
  std::vector<std::string> precisions;
  std::vector<OptionRule> options;
  bool checkpoints = false;  ///< it saves runs and goes on with them, in any layout: see Job::checkpoints
  Timeouts timeouts;

  std::filesystem::path folder;  ///< where it was read from

  /// The recipe of a fabric name ("" for one rank); null when the adapter has none.
  const LaunchRecipe* launch_on(std::string_view fabric) const;
};

/// Parses and validates; `file` names the source in messages. Unknown keys are errors. Throws Failure("usage").
Manifest parse_manifest(std::string_view text, const std::filesystem::path& file);
Manifest read_manifest(const std::filesystem::path& file);

/// Reads adapters/*/manifest.json, sorted by name.
std::vector<Manifest> read_manifests(const std::filesystem::path& adapters_folder);

/// Whether the worker is an executable that is built with us ("bin:NAME"), not a file of the adapter's folder.
bool is_executable_of_ours(const Manifest& manifest);

/// Absolute path of the worker; `bin` is the folder of our executables.
std::filesystem::path worker_path(const Manifest& manifest, const std::filesystem::path& bin);

/// Places to look for the interpreter, best first: the virtual environment that the option `env` names, and no other;
/// else the value of the manifest's variable, and no other; else the manifest's paths, then each virtual environment in
/// `environments`. So a system's identity never changes because something was installed beside it.
std::vector<std::string> interpreter_candidates(const Manifest& manifest, const std::string& variable_value,
                                                const std::string& env_option,
                                                const std::filesystem::path& environments);
/// Where virtual environments of an adapter live: ~/.local/share/lockstep/adapters/NAME (or under XDG_DATA_HOME).
std::filesystem::path environments_folder(const std::string& adapter);

/// Fills in {names} of every argument. Throws Failure("usage") for a name without a value.
std::vector<std::string> expand_command(const std::vector<std::string>& command,
                                        const std::map<std::string, std::string>& values);

}  // namespace lockstep::contract
