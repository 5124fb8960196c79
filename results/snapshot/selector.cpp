// Parsing and printing.
#include "results/snapshot/selector.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

#include "adapters/contract/failure.h"

namespace lockstep::snapshot {

namespace {

constexpr std::array<std::string_view, 8> kKeys{"workload", "preset", "system", "strategy",
                                                "fabric",   "ranks",  "status", "mode"};

// `column` counts from 1.
[[noreturn]] void complain(std::string_view what, std::string_view text, size_t column, const std::string& rule,
                           const std::string& remedy = "") {
  refuse({"", fmt::format("{} column {}", what, column), fmt::format("\"{}\"", text), rule, remedy});
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole && text.front() != '-' ? std::make_optional(value) : std::nullopt;
}

bool is_tag(std::string_view text) {
  const auto word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && word(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return word(c) || c == '_' || c == '-'; });
}

CampaignSelector parse_campaign(std::string_view text) {
  using Kind = CampaignSelector::Kind;
  if (text.starts_with("git:")) {
    if (text.size() < 5) complain("campaign", text, 5, "expected a revision, or a name that git knows", "git:1a2b3c4");
    return {Kind::git, 0, std::string(text.substr(4))};
  }
  if (!text.empty() && text.front() != '@') {
    if (!is_tag(text)) complain("campaign", text, 1, "expected @last, @last~1, @12 or a tag of a-z, 0-9, _ and -");
    return {Kind::tag, 0, std::string(text)};
  }
  if (text == "@last") return {Kind::last, 0, ""};
  if (text.starts_with("@last~")) {
    const auto back = number(text.substr(6));
    if (!back) complain("campaign", text, 7, "expected how many campaigns before the last one", "@last~1");
    return {Kind::last, *back, ""};
  }
  const auto value = number(text.substr(std::min<size_t>(1, text.size())));
  if (!value || *value < 1) complain("campaign", text, 2, "expected a campaign: @last, @last~1, @12 or a tag");
  return {Kind::number, *value, ""};
}

// Levenshtein (1966).
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

[[noreturn]] void unknown_key(std::string_view text, size_t column, std::string_view key) {
  const auto nearer = [&](std::string_view a, std::string_view b) { return distance(a, key) < distance(b, key); };
  const std::string_view nearest = *std::min_element(kKeys.begin(), kKeys.end(), nearer);
  complain("filter", text, column, fmt::format("unknown key \"{}\"; there are {}", key, fmt::join(kKeys, ", ")),
           fmt::format("did you mean {}?", nearest));
}

// Strategies and workloads hold commas too ("dp8+ssp:s=3,servers=2"): a piece without a key of its own continues the
// value before it.
bool begins_term(std::string_view piece) {
  const size_t colon = piece.find(':');
  return colon != std::string_view::npos && piece.substr(0, colon).find('=') == std::string_view::npos;
}

void add_piece(Filter& filter, std::string_view text, size_t at, std::string_view piece) {
  if (!begins_term(piece)) {
    if (filter.terms.empty() || piece.empty()) complain("filter", text, at + 1, "expected key:value");
    filter.terms.back().value.append(",").append(piece);
    return;
  }
  const size_t colon = piece.find(':');
  const std::string_view key = piece.substr(0, colon), value = piece.substr(colon + 1);
  if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) unknown_key(text, at + 1, key);
  if (value.empty()) complain("filter", text, at + colon + 2, fmt::format("expected a value for {}", key));
  if (key == "status") store::parse_launch_status(std::string(value));
  if (key == "mode") store::parse_launch_mode(std::string(value));
  filter.terms.push_back({std::string(key), std::string(value)});
}

// Where the campaign of a selector ends. A name of git holds slashes, but no colon (git-check-ref-format(1)).
size_t end_of_campaign(std::string_view text) {
  constexpr std::string_view kGit = "git:";
  if (!text.starts_with(kGit)) return std::min(text.find('/'), text.size());
  const size_t colon = text.find(':', kGit.size());
  const size_t slash = colon == std::string_view::npos ? colon : text.rfind('/', colon);
  return std::min(slash, text.size());
}

}  // namespace

Filter parse_filter(const std::string& text) {
  Filter filter;
  const std::string_view all(text);
  for (size_t at = 0; at <= all.size();) {
    const size_t comma = std::min(all.find(',', at), all.size());
    add_piece(filter, all, at, all.substr(at, comma - at));
    at = comma + 1;
  }
  return filter;
}

Selector parse_selector(const std::string& text) {
  const size_t end = end_of_campaign(text);
  Selector out{parse_campaign(std::string_view(text).substr(0, end)), {}};
  if (end < text.size()) out.filter = parse_filter(text.substr(end + 1));
  return out;
}

LaunchSelector parse_launch_selector(const std::string& text) {
  const size_t dot = text.rfind('.');
  if (dot == std::string::npos) complain("launch", text, text.size() + 1, "expected CAMPAIGN.NUMBER", "as in @14.7");
  const auto launch = number(std::string_view(text).substr(dot + 1));
  if (!launch || *launch < 1) complain("launch", text, dot + 2, "expected the number of a launch, from 1");
  return {parse_campaign(std::string_view(text).substr(0, dot)), *launch};
}

std::string to_text(const CampaignSelector& selector) {
  switch (selector.kind) {
    case CampaignSelector::Kind::last:
      return selector.number == 0 ? "@last" : fmt::format("@last~{}", selector.number);
    case CampaignSelector::Kind::number:
      return fmt::format("@{}", selector.number);
    case CampaignSelector::Kind::tag:
      return selector.tag;
    case CampaignSelector::Kind::git:
      return "git:" + selector.tag;
  }
  return "";
}

std::string to_text(const Filter& filter) {
  std::string out;
  for (const Filter::Term& term : filter.terms) {
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", term.key, term.value);
  }
  return out;
}

std::string to_text(const Selector& selector) {
  const std::string campaign = to_text(selector.campaign);
  return selector.filter.terms.empty() ? campaign : campaign + "/" + to_text(selector.filter);
}

std::string to_text(const LaunchSelector& selector) {
  return fmt::format("{}.{}", to_text(selector.campaign), selector.number);
}

}  // namespace lockstep::snapshot
