#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The events of a rank, one JSON object a line: `e` is the kind, `t` monotonic nanoseconds (CLOCK_MONOTONIC).
/// `step` always counts finished optimizer steps: the first step is 1 and used the indices between offsets[0] and
/// offsets[1]; 0 is the state before any step. NaN and infinities travel as "NaN", "Infinity", "-Infinity". Values that
/// are not known are absent, never zero. The JSON schema is events.schema.json.
namespace lockstep::contract {

/// The same instant on two clocks, to place monotonic stamps of different hosts side by side.
struct ClockAnchor {
  int64_t monotonic_ns = 0;
  int64_t utc_ns = 0;
};

/// The first event of every file.
struct Hello {
  int contract = 1;
  std::string worker;                           ///< "lockstep-worker", "pytorch", ...
  std::map<std::string, std::string> versions;  ///< "git", "torch", "blas", "mpi", ...: whatever may change a time
  int64_t pid = 0;
  std::string host;
  int rank = 0;
  int world = 1;
  std::string role = "worker";
  std::string device = "cpu";
  ClockAnchor clock;
};

/// Everything before it is preparation and untimed.
struct Ready {
  int64_t parameters = 0;
  int64_t parameter_bytes = 0;
  std::optional<double> flops_per_sample;  ///< model FLOPs, forward and backward
};

/// One optimizer step of one rank.
struct Step {
  int64_t step = 0;
  int64_t t0 = 0, t1 = 0;             ///< monotonic ns; t1 when the work is finished, not when it is queued
  int64_t samples = 0;                ///< real samples of this rank in this step
  int64_t tokens = 0;                 ///< real (sample, token) positions; equal to samples where there are no tokens
  double loss = 0;                    ///< mean over this rank's positions
  double loss_weight = 0;             ///< the number of those positions
  std::optional<int64_t> bytes_sent;  ///< by this rank in this step, counted by the transport
  std::optional<int64_t> messages;
  std::optional<int64_t> staleness;       ///< updates between reading the parameters and applying the gradient
  std::map<std::string, int64_t> phases;  ///< optional durations in ns
};

struct Eval {
  int64_t step = 0;
  int64_t samples_seen = 0;  ///< training samples of all ranks until then
  std::string metric;
  double value = 0;
};

/// Memory of the writer's process (categories "pss" and "rss") or a part of it ("parameters", "activations", ...).
/// Peaks of "pss" and "rss" are since the end of the warm-up. A process with several ranks reports in its first rank's
/// file.
struct Memory {
  std::string category;
  int64_t bytes = 0;
  int64_t peak = 0;
};

/// L2 norms after `step` steps: of each parameter tensor, and of each tensor's gradient in that step after reduction
/// and before clipping (none at step 0). Written by the first rank alone.
struct Fingerprint {
  int64_t step = 0;
  std::map<std::string, double> parameters;
  std::map<std::string, double> gradients;
};

struct Metric {
  std::string name;
  int64_t step = 0;
  double value = 0;
  std::string unit;
};

struct Heartbeat {};

/// Four stamps exchanged with a peer: sent here, received there, sent there, received here.
struct Clock {
  int peer = 0;
  int64_t stamps[4] = {0, 0, 0, 0};
};

struct Artifact {
  std::string kind;    ///< trace, checkpoint, log
  std::string path;    ///< relative to the run folder
  std::string format;  ///< such as "lockstep-activities-1", "safetensors"
};

/// The adapter does not do this term of the strategy, op or option: an answer, not a failure.
struct Unsupported {
  std::string term;
  std::string reason;
};

struct Error {
  std::string kind;  ///< non_finite_loss, out_of_memory, setup, peer_lost, internal
  std::string message;
};

/// The last event of a good run.
struct Done {
  int64_t steps = 0;
  std::string status = "ok";
};

using EventBody = std::variant<Hello, Ready, Step, Eval, Memory, Fingerprint, Metric, Heartbeat, Clock, Artifact,
                               Unsupported, Error, Done>;

struct Event {
  int64_t t = 0;
  EventBody body;
};

/// "hello", "ready", ...
std::string_view event_name(const EventBody& body);

/// One line of JSON with its newline, appended to `out`. Steps take about a microsecond and no allocation beyond `out`.
void append_line(std::string& out, const Event& event);

/// What a line of an event file turned out to be: an event, or the reason why not. An event of an unknown kind is
/// neither.
struct ParsedLine {
  std::optional<Event> event;
  std::string problem;
};

/// Parses one line without its newline; never throws on bad input. `problem` is empty for good and unknown events.
ParsedLine parse_line(std::string_view line);

/// CLOCK_MONOTONIC in nanoseconds: the clock of every `t`.
int64_t now_ns();
/// Reads both clocks one after the other.
ClockAnchor clock_anchor();

}  // namespace lockstep::contract
