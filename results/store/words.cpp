// The words of the store's enumerations: one table each, read in both directions.
#include <fmt/ranges.h>

#include <span>

#include "adapters/contract/failure.h"
#include "adapters/contract/invariant.h"
#include "results/store/rows.h"

namespace lockstep::store {

namespace {

using Words = std::span<const char* const>;

Words words(LaunchMode) {
  static constexpr const char* kWords[] = {"time", "verify", "profile", "converge"};
  return kWords;
}
Words words(LaunchStatus) {
  static constexpr const char* kWords[] = {"planned", "running", "finished", "failed", "skipped", "interrupted"};
  return kWords;
}
Words words(CampaignStatus) {
  static constexpr const char* kWords[] = {"running", "finished", "interrupted", "failed"};
  return kWords;
}
Words words(ProofState) {
  static constexpr const char* kWords[] = {"none", "held", "failed", "reference"};
  return kWords;
}

template <class Enum>
const char* print(Enum value) {
  const auto index = static_cast<size_t>(value);
  LOCKSTEP_INVARIANT(index < words(value).size(), "{} of {} words", index, words(value).size());
  return words(value)[index];
}

template <class Enum>
Enum parse(const char* what, const std::string& text) {
  const Words all = words(Enum{});
  for (size_t i = 0; i < all.size(); ++i) {
    if (text == all[i]) return static_cast<Enum>(i);
  }
  refuse({"", what, fmt::format("\"{}\"", text), fmt::format("one of {}", fmt::join(all, ", ")), ""});
}

}  // namespace

const char* to_text(LaunchMode mode) { return print(mode); }
const char* to_text(LaunchStatus status) { return print(status); }
const char* to_text(CampaignStatus status) { return print(status); }
const char* to_text(ProofState state) { return print(state); }
LaunchMode parse_launch_mode(const std::string& text) { return parse<LaunchMode>("mode", text); }
LaunchStatus parse_launch_status(const std::string& text) { return parse<LaunchStatus>("status", text); }
CampaignStatus parse_campaign_status(const std::string& text) { return parse<CampaignStatus>("campaign status", text); }
ProofState parse_proof_state(const std::string& text) { return parse<ProofState>("proof state", text); }

}  // namespace lockstep::store
