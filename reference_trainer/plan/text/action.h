#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::text {

/// F forward, B whole backward, I input gradient, W weight gradient; the rest move data or end the step. SEND_F: the
/// stage sends what its F made to the next stage; RECV_F: it receives the input of its F. SEND_B: it sends what its B
/// (or I) made to the stage before; RECV_B: it receives the input of its B.
enum class ActionKind : uint8_t { F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, GATHER, FREE, REDUCE, STEP };

std::string_view name(ActionKind kind);

/// 2F0 = stage 2, forward, microbatch 0. GATHER, FREE, REDUCE and STEP may belong to no microbatch: 2STEP.
struct Action {
  int stage = 0;
  ActionKind kind = ActionKind::F;
  int64_t microbatch = -1;  ///< -1: of no microbatch
  bool operator==(const Action&) const = default;
};

Action parse_action(std::string_view text);
std::string print(const Action& action);

/// A rank's ordered actions, separated by one blank: "0F0 0F1 0B0 0B1 0STEP".
std::vector<Action> parse_actions(std::string_view text);
std::string print(const std::vector<Action>& actions);

}  // namespace lockstep::text
