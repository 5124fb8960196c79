#include "reference_trainer/plan/text/action.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "reference_trainer/plan/text/scanner.h"

namespace lockstep::text {
namespace {

constexpr std::array<std::string_view, 12> kKinds = {"F",      "B",      "I",      "W",    "SEND_F", "RECV_F",
                                                     "SEND_B", "RECV_B", "GATHER", "FREE", "REDUCE", "STEP"};
constexpr int kMostDigits = 9;

bool needs_microbatch(ActionKind kind) { return kind < ActionKind::GATHER; }

int64_t scan_number(Scanner& in, const std::string& what) {
  const size_t begin = in.position();
  const std::string_view digits = in.take_digits();
  if (digits.empty()) in.fail(begin, "expected " + what, 0, "0");
  if (digits.size() > kMostDigits) {
    in.fail(begin, fmt::format("expected {} of at most {} digits", what, kMostDigits), digits.size(),
            std::string(digits.substr(0, kMostDigits)));
  }
  int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

ActionKind scan_kind(Scanner& in) {
  // Longest first: FREE starts with F.
  for (size_t i = kKinds.size(); i-- > 0;) {
    if (in.take(kKinds[i])) return static_cast<ActionKind>(i);
  }
  in.fail(in.position(), "expected F, B, I, W, SEND_F, RECV_F, SEND_B, RECV_B, GATHER, FREE, REDUCE or STEP", 1, "F");
}

Action scan_action(Scanner& in) {
  Action action;
  action.stage = static_cast<int>(scan_number(in, "a stage"));
  action.kind = scan_kind(in);
  const bool digit = in.peek() >= '0' && in.peek() <= '9';
  if (digit || needs_microbatch(action.kind)) action.microbatch = scan_number(in, "a microbatch");
  return action;
}

}  // namespace

std::string_view name(ActionKind kind) { return kKinds[static_cast<size_t>(kind)]; }

Action parse_action(std::string_view text) {
  Action out;
  parse_or_refuse("action", text, "0F0", [&](Scanner& in) {
    out = scan_action(in);
    in.expect_end("");
    return print(out);
  });
  return out;
}

std::string print(const Action& action) {
  std::string out = fmt::format("{}{}", action.stage, name(action.kind));
  if (action.microbatch >= 0) out += fmt::format("{}", action.microbatch);
  return out;
}

std::vector<Action> parse_actions(std::string_view text) {
  std::vector<Action> out;
  if (text.empty()) return out;
  parse_or_refuse("actions", text, "0F0", [&](Scanner& in) {
    out.clear();
    do out.push_back(scan_action(in));
    while (in.take(' '));
    in.expect_end("one blank or ");
    return print(out);
  });
  return out;
}

std::string print(const std::vector<Action>& actions) {
  std::string out;
  for (const Action& action : actions) {
    if (!out.empty()) out += ' ';
    out += print(action);
  }
  return out;
}

}  // namespace lockstep::text
