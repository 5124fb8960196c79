#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the harness asks of a supervisor, and what it answers: two small JSON files in the run folder, so that a launch
/// can be looked at afterwards.
namespace lockstep::supervisor {

inline constexpr const char* kOrderFile = "supervisor-order.json";
inline constexpr const char* kReportFile = "supervisor-report.json";
/// In the environment of every process of a launch: whose it is, and which supervisor is to end it.
inline constexpr const char* kLaunchVariable = "LOCKSTEP_LAUNCH_ID";
inline constexpr const char* kSupervisorVariable = "LOCKSTEP_SUPERVISOR";
/// In the environment of the supervisor alone: the harness that started it.
inline constexpr const char* kHarnessVariable = "LOCKSTEP_HARNESS";
/// The pipe from the harness is this descriptor of the supervisor: it ends the launch when the pipe closes.
inline constexpr int kPipe = 3;

/// One process to start.
struct Command {
  std::string name;                      ///< "rank0", "mpirun"
  std::vector<std::string> arguments;    ///< the executable first
  std::vector<std::string> environment;  ///< "KEY=value", over what the supervisor itself was given
  std::string out, err;                  ///< files in the run folder
};

/// Seconds, already scaled by the one factor. Each but `whole` is how long a rank may take for ...
struct Deadlines {
  double start = 60;     ///< ... its first event
  double prepare = 300;  ///< ... its `ready`, counted from its first event
  double idle = 60;      ///< ... the next line in its events file
  double step = 120;     ///< ... its next `step` event or `done`, once ready
  double stop = 10;      ///< ... ending itself: after `done`, after a peer ended badly, after SIGTERM
  double whole = 0;      ///< how long the launch may take in all; 0: the others suffice
};

struct Order {
  std::string launch_id;
  std::vector<Command> commands;
  std::vector<std::string> event_files;  ///< one a rank, in the run folder
  Deadlines deadlines;
  bool watch_memory = false;  ///< nobody in the launch reports its memory
};

struct Exit {
  std::string name;
  int64_t pid = 0;
  std::optional<int64_t> code, signal;
  int64_t peak_rss_bytes = 0;
};

struct Report {
  std::string launch_id;
  std::vector<Exit> exits;
  std::string start_error;         ///< why a process could not be started; empty: all were
  std::string ended_by;            ///< "itself", "deadline step", "peer_lost", "harness" (its pipe closed)
  std::string waiting;             ///< with a deadline: which rank, for what, how long
  std::string needed = "nothing";  ///< "nothing", "SIGTERM", "SIGKILL"
  int64_t left_behind = 0;         ///< processes that outlived the launch's own and had to be ended
  int64_t left = 0;                ///< processes that live now: 0, or the supervisor failed
  int64_t started_utc_ns = 0, ended_utc_ns = 0, started_mono_ns = 0, ended_mono_ns = 0;
  int64_t peak_tree_rss_bytes = 0;  ///< of all processes of the launch together (tree_memory.h); 0: not watched
};

/// Written whole or not at all (whole_file.h).
void write_order(const std::string& folder, const Order& order);
void write_report(const std::string& folder, const Report& report);
/// Failure "setup" where the file is not there or not readable.
Order read_order(const std::string& folder);
std::optional<Report> read_report(const std::string& folder);

}  // namespace lockstep::supervisor
