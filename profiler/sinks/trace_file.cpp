#include "profiler/sinks/trace_file.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_words.h"
#include "profiler/sinks/kind_names.h"

namespace lockstep::profiler {
namespace {

using Json = nlohmann::json;
using activity::Activity;
using activity::Trace;
using activity::Transfer;

/// The columns of an activity, in the order in which the file lists them.
template <class Row, class Field>
Json column(const std::vector<Row>& rows, Field field) {
  Json values = Json::array();
  for (const Row& row : rows) values.push_back(row.*field);
  return values;
}

const Json& values_of(const Json& columns, const char* name, size_t count) {
  const Json& values = columns.at(name);
  if (values.size() == count) return values;
  throw Failure("usage", fmt::format("column {} has {} values, others {}", name, values.size(), count));
}

template <class Row, class Field>
void read_column(std::vector<Row>& rows, const Json& columns, const char* name, Field field) {
  const Json& values = values_of(columns, name, rows.size());
  for (size_t i = 0; i < values.size(); ++i) values[i].get_to(rows[i].*field);
}

Json transfers_json(const std::vector<Transfer>& transfers) {
  Json ways = Json::array();
  for (const Transfer& transfer : transfers) ways.push_back(kWayNames[transfer.way]);
  return {{"activity", column(transfers, &Transfer::activity)},
          {"way", ways},
          {"peer", column(transfers, &Transfer::peer)},
          {"tag", column(transfers, &Transfer::tag)},
          {"bytes", column(transfers, &Transfer::bytes)}};
}

void read_transfers(std::vector<Transfer>& transfers, const Json& columns) {
  const Json& ways = columns.at("way");
  transfers.resize(ways.size());
  read_column(transfers, columns, "activity", &Transfer::activity);
  read_column(transfers, columns, "peer", &Transfer::peer);
  read_column(transfers, columns, "tag", &Transfer::tag);
  read_column(transfers, columns, "bytes", &Transfer::bytes);
  for (size_t i = 0; i < transfers.size(); ++i) {
    transfers[i].way = value_named<Transfer::Way>(kWayNames, ways.at(i).get<std::string>());
  }
}

/// A file that tells how much of it has been read.
class WatchedFile : public std::filebuf {
 public:
  WatchedFile(const std::filesystem::path& file, const std::function<void(double)>& progress) : progress_(progress) {
    std::error_code none;
    bytes_ = static_cast<double>(std::filesystem::file_size(file, none));
    pubsetbuf(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    open(file, std::ios::in | std::ios::binary);
  }

 protected:
  int_type underflow() override {
    if (progress_) progress_(std::min(1.0, read_ / bytes_));
    const int_type next = std::filebuf::underflow();
    read_ += static_cast<double>(egptr() - gptr());
    return next;
  }

 private:
  const std::function<void(double)>& progress_;
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
  double bytes_ = 1, read_ = 0;
};

void check_indices(const Trace& trace) {
  for (const Activity& a : trace.activities) {
    if (a.name >= trace.names.size() || a.track >= trace.tracks.size() || a.end_ns < a.begin_ns) {
      throw Failure("usage", "an activity names a text or a track that is not there, or ends before it begins");
    }
  }
  uint32_t before = 0;
  for (const Transfer& transfer : trace.transfers) {
    if (transfer.activity >= trace.activities.size() || transfer.activity < before || transfer.bytes < 0) {
      throw Failure("usage", "a transfer is of no activity, out of their order, or of a negative size");
    }
    before = transfer.activity;
  }
}

}  // namespace

void write_trace(const std::filesystem::path& file, const Trace& trace) {
  Json tracks = Json::array(), kinds = Json::array();
  for (const auto& track : trace.tracks) tracks.push_back({{"rank", track.rank}, {"name", track.name}});
  const std::vector<Activity>& all = trace.activities;
  for (const Activity& a : all) kinds.push_back(kind_name(a.kind));
  const Json document = {{"format", "lockstep.trace"},
                         {"version", 1},
                         {"origin", origin_name(trace.origin)},
                         {"dropped", trace.dropped},
                         {"names", trace.names},
                         {"tracks", tracks},
                         {"columns",
                          {{"begin_ns", column(all, &Activity::begin_ns)},
                           {"end_ns", column(all, &Activity::end_ns)},
                           {"name", column(all, &Activity::name)},
                           {"track", column(all, &Activity::track)},
                           {"step", column(all, &Activity::step)},
                           {"microbatch", column(all, &Activity::microbatch)},
                           {"bytes", column(all, &Activity::bytes)},
                           {"kind", kinds}}},
                         {"transfers", transfers_json(trace.transfers)}};
  const std::filesystem::path temporary = file.string() + ".part";
  std::ofstream out(temporary, std::ios::binary);
  out << document.dump() << '\n';
  out.close();
  if (!out) throw Failure("setup", fmt::format("{}: cannot be written; is there space on the disk?", file.string()));
  std::filesystem::rename(temporary, file);
}

Trace read_trace(const std::filesystem::path& file, const std::function<void(double)>& progress) try {
  WatchedFile watched(file, progress);
  if (!watched.is_open()) throw Failure("usage", "cannot be read");
  std::istream in(&watched);
  const Json document = Json::parse(in);
  if (document.at("format") != "lockstep.trace" || document.at("version") != 1) {
    throw Failure("usage", "is not a lockstep.trace of version 1");
  }
  Trace trace;
  trace.origin = origin_named(document.at("origin").get<std::string>());
  document.at("dropped").get_to(trace.dropped);
  document.at("names").get_to(trace.names);
  for (const Json& track : document.at("tracks")) trace.tracks.push_back({track.at("rank"), track.at("name")});
  const Json &columns = document.at("columns"), &kinds = columns.at("kind");
  trace.activities.resize(kinds.size());
  std::vector<Activity>& all = trace.activities;
  read_column(all, columns, "begin_ns", &Activity::begin_ns);
  read_column(all, columns, "end_ns", &Activity::end_ns);
  read_column(all, columns, "name", &Activity::name);
  read_column(all, columns, "track", &Activity::track);
  read_column(all, columns, "step", &Activity::step);
  read_column(all, columns, "microbatch", &Activity::microbatch);
  read_column(all, columns, "bytes", &Activity::bytes);
  for (size_t i = 0; i < all.size(); ++i) all[i].kind = kind_named(kinds.at(i).get<std::string>());
  // Traces from before have none.
  if (document.contains("transfers")) read_transfers(trace.transfers, document.at("transfers"));
  check_indices(trace);
  return trace;
} catch (const nlohmann::json::exception& error) {
  throw Failure("usage", fmt::format("{}: not a trace: {}", file.string(), json_words(error.what())));
} catch (const Failure& failure) {
  throw Failure(failure.kind(), fmt::format("{}: {}", file.string(), failure.what()));
}

void merge(Trace& whole, const Trace& part) {
  const auto activities = static_cast<uint32_t>(whole.activities.size());
  const auto names = static_cast<uint32_t>(whole.names.size()), tracks = static_cast<uint32_t>(whole.tracks.size());
  whole.names.insert(whole.names.end(), part.names.begin(), part.names.end());
  whole.tracks.insert(whole.tracks.end(), part.tracks.begin(), part.tracks.end());
  for (Activity a : part.activities) {
    a.name += names;
    a.track += tracks;
    whole.activities.push_back(a);
  }
  for (activity::Transfer transfer : part.transfers) {
    transfer.activity += activities;
    whole.transfers.push_back(transfer);
  }
  whole.dropped += part.dropped;
}

}  // namespace lockstep::profiler
