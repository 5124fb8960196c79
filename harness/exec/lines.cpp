#include "harness/exec/lines.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include "adapters/contract/failure.h"
#include "harness/supervisor/stamp.h"

namespace lockstep::exec {
namespace fs = std::filesystem;
namespace {

/// A piece of a log: where it ends, and when it came.
struct Piece {
  int64_t end = 0, arrived_ns = 0;
};

std::vector<Piece> pieces_of(std::string_view arrivals) {
  std::vector<Piece> pieces;
  int64_t end = 0;
  for (const char* at = arrivals.data(); at < arrivals.data() + arrivals.size();) {
    const char* last = arrivals.data() + arrivals.size();
    int64_t ns = 0, bytes = 0;
    const auto [blank, first] = std::from_chars(at, last, ns);
    if (first != std::errc() || blank == last) break;
    const auto [rest, second] = std::from_chars(blank + 1, last, bytes);
    if (second != std::errc()) break;
    end += bytes;
    pieces.push_back({end, ns});
    at = rest == last ? last : rest + 1;
  }
  return pieces;
}

// Past an escape sequence that begins at `at`: a control sequence ends with a letter, an operating system command with
// BEL or ESC \, any other is two bytes long.
size_t after_escape(std::string_view text, size_t at) {
  const char kind = at + 1 < text.size() ? text[at + 1] : '\0';
  if (kind == '[') {
    const auto* end = std::find_if(text.begin() + at + 2, text.end(), [](char c) { return c >= '@' && c <= '~'; });
    return std::min(text.size(), static_cast<size_t>(end - text.begin()) + 1);
  }
  if (kind != ']') return std::min(text.size(), at + 2);
  const size_t end = text.find_first_of("\x07\x1b", at + 2);
  if (end == std::string_view::npos) return text.size();
  return std::min(text.size(), end + (text[end] == '\x1b' ? 2 : 1));
}

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string without_escapes(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\x1b') {
      at = after_escape(text, at);
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::vector<Line> split(std::string_view log, std::string_view arrivals, size_t file) {
  const std::vector<Piece> pieces = pieces_of(arrivals);
  std::vector<Line> lines;
  size_t piece = 0;
  int64_t number = 1;
  for (size_t begin = 0; begin < log.size();) {
    const size_t end = std::min(log.find_first_of("\r\n", begin), log.size());
    // A bar's end comes with its next redrawing, so a line is as old as its last byte before the end.
    while (piece + 1 < pieces.size() && pieces[piece].end < static_cast<int64_t>(end)) ++piece;
    std::string text = without_escapes(log.substr(begin, end - begin));
    text.erase(text.find_last_not_of(" \t") + 1);
    if (!text.empty()) lines.push_back({std::move(text), number, pieces.empty() ? 0 : pieces[piece].arrived_ns, file});
    if (end < log.size() && log[end] == '\n') ++number;
    begin = end + 1;
  }
  return lines;
}

std::vector<Line> read_lines(const fs::path& folder) {
  std::vector<Line> all =
      split(text_of_file(folder / "stdout.command.log"), text_of_file(folder / supervisor::kOutArrivals), 0);
  std::vector<Line> errors =
      split(text_of_file(folder / "stderr.command.log"), text_of_file(folder / supervisor::kErrArrivals), 1);
  all.insert(all.end(), std::make_move_iterator(errors.begin()), std::make_move_iterator(errors.end()));
  std::stable_sort(all.begin(), all.end(), [](const Line& a, const Line& b) { return a.arrived_ns < b.arrived_ns; });
  return all;
}

std::string read_log(const fs::path& path) {
  if (!fs::is_regular_file(path)) refuse({path.string(), "--log-test", "", "is no file", "name a log file"});
  return text_of_file(path);
}

}  // namespace lockstep::exec
