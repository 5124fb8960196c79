#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep {

/// An expected failure: something outside the program that a person can mend (a bad suite, a missing package, a rank
/// that died). It carries a kind from the closed list below and a message that says what to do next, and becomes a row
/// in the store. Broken invariants are the other group: see invariant.h.
///
/// Kinds made by workers: non_finite_loss, out_of_memory, setup, unsupported, peer_lost, internal; by the harness:
/// usage, deadline, killed, start_failed, bad_events, command_failed, no_steps, data_missing, incomparable; by readers
/// of a store: interrupted.
class Failure : public std::runtime_error {
 public:
  Failure(std::string kind, const std::string& message) : std::runtime_error(message), kind_(std::move(kind)) {}
  const std::string& kind() const { return kind_; }

 private:
  std::string kind_;
};

/// The parts that every message about bad input has. `place` is a JSON path, a column or an option; empty parts are
/// left out of the text.
struct Complaint {
  std::string file, place, value, rule, remedy;

  /// "FILE: PLACE: VALUE: RULE; REMEDY"
  std::string text() const {
    std::string out;
    for (std::string_view part : {std::string_view(file), std::string_view(place), std::string_view(value)}) {
      if (!part.empty()) out += fmt::format("{}: ", part);
    }
    out += rule;
    if (!remedy.empty()) out += "; " + remedy;
    return out;
  }
};

/// Bad input of a person: exit code 2.
[[noreturn]] inline void refuse(const Complaint& complaint) { throw Failure("usage", complaint.text()); }

}  // namespace lockstep
