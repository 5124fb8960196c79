#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/collective/program.h"

namespace lockstep::collective {
namespace {

/// Reads a program's text from front to back and knows where it stands.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }
  bool at_line_end() const { return at_end() || text_[at_] == '\n'; }

  bool take(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }
  void expect(std::string_view expected) {
    if (!take(expected)) fail(fmt::format("expected '{}'", expected == "\n" ? "end of line" : expected));
  }
  void skip_blanks() {
    while (!at_end() && text_[at_] == ' ') ++at_;
  }

  std::string_view word() {
    const size_t begin = at_;
    while (!at_end() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) ++at_;
    if (at_ == begin) fail("expected a word");
    return text_.substr(begin, at_ - begin);
  }
  int number() {
    int value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("expected a number, 0 or more");
    at_ += static_cast<size_t>(end - begin);
    return value;
  }

  [[noreturn]] void fail(const std::string& rule) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    refuse({.place = fmt::format("collective program, line {}, column {}", line, at_ - line_begin + 1),
            .value = std::string(text_.substr(line_begin, text_.find('\n', at_) - line_begin)),
            .rule = rule,
            .remedy = "a line is 'RANK: ACTION PEER FIRST+COUNT, ... | ...' with send, recv or recv_reduce"});
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

Action parse_action(Reader& reader) {
  const std::string_view word = reader.word();
  if (word == "send") return Action::send;
  if (word == "recv") return Action::recv;
  if (word == "recv_reduce") return Action::recv_reduce;
  reader.fail(fmt::format("'{}' is none of send, recv, recv_reduce", word));
}

Transfer parse_transfer(Reader& reader) {
  Transfer transfer;
  transfer.action = parse_action(reader);
  reader.expect(" ");
  transfer.peer = reader.number();
  reader.expect(" ");
  transfer.first = reader.number();
  reader.expect("+");
  transfer.count = reader.number();
  return transfer;
}

std::vector<Round> parse_rounds(Reader& reader) {
  std::vector<Round> rounds;
  reader.skip_blanks();
  if (reader.at_line_end()) return rounds;
  do {
    Round& round = rounds.emplace_back();
    do {
      reader.skip_blanks();
      round.push_back(parse_transfer(reader));
      reader.skip_blanks();
    } while (reader.take(","));
  } while (reader.take("|"));
  return rounds;
}

void parse_head(Reader& reader, Program& program) {
  program.operation = operation_of(reader.word());
  reader.expect(" ");
  program.algorithm = std::string(reader.word());
  reader.expect(" chunks=");
  program.chunks = reader.number();
  if (program.chunks == 0) reader.fail("a program has at least one chunk");
  reader.expect(" root=");
  program.root = reader.number();
}

/// What needs the whole text: peers and chunks that exist.
void check_numbers(const Reader& reader, const Program& program) {
  if (program.size() == 0 || program.root >= program.size()) {
    reader.fail(fmt::format("root {} is not one of the {} ranks", program.root, program.size()));
  }
  for (int rank = 0; rank < program.size(); ++rank) {
    for (const Round& round : program.ranks[static_cast<size_t>(rank)]) {
      for (const Transfer& t : round) {
        if (t.peer >= program.size() || t.peer == rank) {
          reader.fail(fmt::format("rank {} has no peer {} among {} ranks", rank, t.peer, program.size()));
        }
        if (t.count == 0 || t.first > program.chunks - t.count) {
          reader.fail(fmt::format("rank {}: {}+{} are not chunks of {}", rank, t.first, t.count, program.chunks));
        }
      }
    }
  }
}

}  // namespace

Program parse(std::string_view text) {
  Reader reader(text);
  Program program;
  parse_head(reader, program);
  while (!reader.at_end()) {
    reader.expect("\n");
    if (reader.at_end()) break;
    const int rank = reader.number();
    if (rank != program.size()) reader.fail(fmt::format("expected rank {}", program.size()));
    reader.expect(":");
    program.ranks.push_back(parse_rounds(reader));
  }
  check_numbers(reader, program);
  return program;
}

}  // namespace lockstep::collective
