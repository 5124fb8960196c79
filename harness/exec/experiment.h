#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/store/rows.h"

namespace lockstep::exec {

/// The system of a cell that is a command of the user's own.
inline constexpr const char* kSystem = "exec";

/// What is varied: environment variables that are set for the command.
struct Variant {
  std::string label;                                           ///< "A", "B"
  std::vector<std::pair<std::string, std::string>> variables;  ///< name, value; by name
};

/// What `lockstep exec` is asked for. A campaign keeps it, so that it can go on.
struct Experiment {
  std::string name;                        ///< of the workload
  bool name_is_given = false;              ///< else the text has a hash of the command
  std::vector<std::string> command;        ///< looked up in PATH
  std::string directory;                   ///< where it runs
  std::vector<Variant> variants;           ///< A, or A and B
  std::string log = "auto";                ///< a format's name, or an expression
  std::optional<int64_t> warmup;           ///< steps; none: by the number of steps
  std::optional<int64_t> samples, tokens;  ///< in one step, where the log does not say
  int64_t launches = 6;                    ///< a variant
  double timeout_s = 3600;                 ///< a launch
};

/// Names of what has no text form elsewhere: blanks, commas, control characters and bytes that are not UTF-8 become %XX
/// (RFC 3986), so every text stays one word of a cell. `more`: further characters.
std::string escaped(const std::string& text, const std::string& more = "");

/// "A:OMP_NUM_THREADS=1,SEED=7"; the label alone where nothing is set.
std::string strategy_text(const Variant& variant);
/// "exec:train,command=1a2b3c4d"; without the hash for a name that was given.
std::string workload_text(const Experiment& experiment);

/// "exec:train,command=1a2b3c4d exec A:OMP_NUM_THREADS=1", with what a launch of it has to know as JSON.
store::CellRow cell_of(const Experiment& experiment, const Variant& variant);

/// True for a campaign of an experiment.
bool is_experiment(const store::CampaignRow& campaign);

/// What cell_of wrote, with the one variant. Failure "setup" when it is damaged.
Experiment experiment_of(const store::CellRow& cell);

/// The same for a launch of a campaign. A name that was given may stand for several commands, of which the cell keeps
/// the first one; the campaign has its own.
Experiment experiment_of(const store::CampaignRow& campaign, const store::CellRow& cell);

std::string to_json(const Experiment& experiment);
/// Failure "setup" when it is damaged.
Experiment from_json(const std::string& json);

/// The command line that repeats a launch of a cell in its campaign, to be pasted into a shell anywhere; `options`:
/// words more. Variant B needs A beside it.
std::string command_line(const store::CampaignRow& campaign, const store::CellRow& cell,
                         const std::vector<std::string>& options = {});

}  // namespace lockstep::exec
