#include "harness/supervisor/watch.h"

#include <fmt/format.h>

#include <fstream>

namespace lockstep::supervisor {
namespace {

// The value of key "e" in a line of JSON, with or without blanks around the colon; empty where there is none.
std::string event_kind(const std::string& line) {
  const size_t key = line.find("\"e\"");
  if (key == std::string::npos) return "";
  const size_t open = line.find_first_not_of(" \t:", key + 3);
  if (open == std::string::npos || line[open] != '"') return "";
  const size_t close = line.find('"', open + 1);
  return close == std::string::npos ? "" : line.substr(open + 1, close - open - 1);
}

}  // namespace

Watch::Watch(const std::string& folder, const Order& order, double now) : deadlines_(order.deadlines), began_(now) {
  for (const std::string& file : order.event_files)
    ranks_.push_back({folder + "/" + file, 0, "", Phase::start, now, now});
}

void Watch::advance(Rank& rank, const std::string& line, double now) {
  const std::string kind = event_kind(line);
  if (kind.empty()) return;
  if (rank.phase == Phase::start) rank = {rank.path, rank.offset, rank.tail, Phase::prepare, now, now};
  if (kind == "ready" && rank.phase == Phase::prepare) rank.phase = Phase::train, rank.since = now;
  // Evaluation and memory reports take time of their own between steps, so they count as progress too.
  if (rank.phase == Phase::train && (kind == "step" || kind == "eval" || kind == "fingerprint")) rank.since = now;
  if (kind == "done" || kind == "unsupported" || kind == "error") rank.phase = Phase::stop, rank.since = now;
}

void Watch::read(Rank& rank, double now) const {
  std::ifstream file(rank.path, std::ios::binary);
  if (!file) return;
  file.seekg(rank.offset);
  std::string block(1 << 16, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    const auto count = static_cast<size_t>(file.gcount());
    rank.offset += static_cast<int64_t>(count);
    rank.heard = now;
    rank.tail.append(block, 0, count);
    for (size_t end; (end = rank.tail.find('\n')) != std::string::npos; rank.tail.erase(0, end + 1)) {
      advance(rank, rank.tail.substr(0, end), now);
    }
    if (rank.tail.size() > block.size()) rank.tail.clear();  // no event is that long: rubbish
  }
}

std::string Watch::passed(size_t index, double now) {
  const Rank& rank = ranks_[index];
  struct Row {
    const char* name;
    const char* what;
    double limit, since;
    bool holds;
  };
  const Row rows[] = {
      {"start", "its first event", deadlines_.start, rank.since, rank.phase == Phase::start},
      {"prepare", "its ready event", deadlines_.prepare, rank.since, rank.phase == Phase::prepare},
      {"step", "its next step event", deadlines_.step, rank.since, rank.phase == Phase::train},
      {"idle", "any event", deadlines_.idle, rank.heard, rank.phase == Phase::train},
      {"stop", "its end", deadlines_.stop, rank.since, rank.phase == Phase::stop},
  };
  for (const Row& row : rows) {
    if (!row.holds || now - row.since <= row.limit) continue;
    waiting_ =
        fmt::format("rank {} waited {:.1f} s for {}, deadline {:.1f} s", index, now - row.since, row.what, row.limit);
    return row.name;
  }
  return "";
}

std::string Watch::poll(double now) {
  if (deadlines_.whole > 0 && now - began_ > deadlines_.whole) {
    waiting_ = fmt::format("the launch ran for {:.1f} s, deadline {:.1f} s", now - began_, deadlines_.whole);
    return "whole";
  }
  for (Rank& rank : ranks_) read(rank, now);
  for (size_t i = 0; i < ranks_.size(); ++i) {
    if (std::string name = passed(i, now); !name.empty()) return name;
  }
  return "";
}

}  // namespace lockstep::supervisor
