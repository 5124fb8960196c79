#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/schedule/schedule.h"

namespace lockstep::schedule {
namespace {

constexpr int kMostOfAnything = 1 << 20;

/// Reads the lines of a schedule, one after the other.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool next_is(std::string_view word) const { return rest_.starts_with(fmt::format("{} ", word)) || rest_ == word; }

  /// What follows the word that the next line begins with.
  std::string_view take(std::string_view word) {
    ++line_;
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    if (line != word && !line.starts_with(fmt::format("{} ", word)))
      fail(line, fmt::format("expected \"{} ...\"", word));
    rest_.remove_prefix(std::min(rest_.size(), line.size() + 1));
    return line.substr(std::min(line.size(), word.size() + 1));
  }

  int number(std::string_view text, int least) const {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || value < least || value > kMostOfAnything) {
      fail(text, fmt::format("expected a number from {} to {}", least, kMostOfAnything));
    }
    return value;
  }

  [[noreturn]] void fail(std::string_view value, const std::string& rule) const {
    refuse({.place = fmt::format("schedule: line {}", line_), .value = std::string(value), .rule = rule, .remedy = ""});
  }

 private:
  std::string_view rest_;
  int line_ = 0;
};

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    out.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return out;
}

/// The value of "key=value".
std::string_view value_of(const Lines& lines, std::string_view word, std::string_view key) {
  if (!word.starts_with(fmt::format("{}=", key))) lines.fail(word, fmt::format("expected {}=...", key));
  return word.substr(key.size() + 1);
}

void parse_head(Lines& lines, Schedule& out) {
  const std::string_view line = lines.take("schedule");
  const auto word = words(line);
  if (word.size() != 7) lines.fail(line, "expected a name, ranks, microbatches, chunks, per_update, flush and order");
  out.name = std::string(word[0]);
  out.numbers.ranks = lines.number(value_of(lines, word[1], "ranks"), 1);
  out.numbers.microbatches = lines.number(value_of(lines, word[2], "microbatches"), 1);
  out.numbers.chunks = lines.number(value_of(lines, word[3], "chunks"), 1);
  out.numbers.per_update = lines.number(value_of(lines, word[4], "per_update"), 1);
  const std::string_view flush = value_of(lines, word[5], "flush");
  if (flush != "0" && flush != "1") lines.fail(flush, "expected 0 or 1");
  out.flushes = flush == "1";
  const std::string_view order = value_of(lines, word[6], "order");
  if (order != "fixed" && order != "arrival") lines.fail(order, "expected fixed or arrival");
  out.order = order == "fixed" ? Order::fixed : Order::arrival;
}

std::vector<int> parse_numbers(Lines& lines, std::string_view word, int below) {
  std::vector<int> out;
  for (const std::string_view number : words(lines.take(word))) {
    out.push_back(lines.number(number, 0));
    if (out.back() >= below) lines.fail(number, fmt::format("expected less than {}", below));
  }
  return out;
}

void expect_count(const Lines& lines, size_t found, size_t wanted, std::string_view what) {
  if (found != wanted) lines.fail(fmt::format("{}", found), fmt::format("expected {} {}", wanted, what));
}

}  // namespace

std::string print(const Schedule& schedule) {
  const Numbers& n = schedule.numbers;
  std::string out = fmt::format("schedule {} ranks={} microbatches={} chunks={} per_update={} flush={} order={}\n",
                                schedule.name, n.ranks, n.microbatches, n.chunks, n.per_update,
                                schedule.flushes ? 1 : 0, schedule.order == Order::fixed ? "fixed" : "arrival");
  for (const auto& ranks : schedule.placement) out += fmt::format("place {}\n", fmt::join(ranks, " "));
  out += fmt::format("direction {}\n", fmt::join(schedule.direction, " "));
  for (const Actions& list : schedule.ranks)
    out += list.empty() ? "rank\n" : fmt::format("rank {}\n", text::print(list));
  return out;
}

Schedule parse(std::string_view text) {
  Schedule out{.name = "", .numbers = {}, .placement = {}, .direction = {}, .ranks = {}};
  Lines lines(text);
  parse_head(lines, out);
  do {
    out.placement.push_back(parse_numbers(lines, "place", out.numbers.ranks));
    if (out.placement.back().empty()) lines.fail("place", "expected the rank of each stage");
    expect_count(lines, out.placement.back().size(), out.placement[0].size(), "stages");
  } while (lines.next_is("place"));
  out.direction = parse_numbers(lines, "direction", out.directions());
  expect_count(lines, out.direction.size(), static_cast<size_t>(out.numbers.microbatches), "directions");
  while (!lines.done()) out.ranks.push_back(text::parse_actions(lines.take("rank")));
  expect_count(lines, out.ranks.size(), static_cast<size_t>(out.numbers.ranks), "ranks");
  return out;
}

}  // namespace lockstep::schedule
