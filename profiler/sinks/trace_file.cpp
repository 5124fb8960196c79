#include "profiler/sinks/trace_file.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "profiler/sinks/kind_names.h"

namespace lockstep::profiler {
namespace {

using Json = nlohmann::json;
using activity::Activity;
using activity::Trace;

/// The columns of an activity, in the order in which the file lists them.
template <class Field>
Json column(const Trace& trace, Field field) {
  Json values = Json::array();
  for (const Activity& a : trace.activities) values.push_back(a.*field);
  return values;
}

template <class Field>
void read_column(Trace& trace, const Json& columns, const char* name, Field field) {
  const Json& values = columns.at(name);
  if (values.size() != trace.activities.size())
    throw Failure("usage",
                  fmt::format("column {} has {} values, others {}", name, values.size(), trace.activities.size()));
  for (size_t i = 0; i < values.size(); ++i) values[i].get_to(trace.activities[i].*field);
}

void check_indices(const Trace& trace) {
  for (const Activity& a : trace.activities) {
    if (a.name >= trace.names.size() || a.track >= trace.tracks.size() || a.end_ns < a.begin_ns) {
      throw Failure("usage", "an activity names a text or a track that is not there, or ends before it begins");
    }
  }
}

}  // namespace

void write_trace(const std::filesystem::path& file, const Trace& trace) {
  Json tracks = Json::array(), kinds = Json::array();
  for (const auto& track : trace.tracks) tracks.push_back({{"rank", track.rank}, {"name", track.name}});
  for (const Activity& a : trace.activities) kinds.push_back(kind_name(a.kind));
  const Json document = {{"format", "lockstep.trace"},
                         {"version", 1},
                         {"origin", origin_name(trace.origin)},
                         {"dropped", trace.dropped},
                         {"names", trace.names},
                         {"tracks", tracks},
                         {"columns",
                          {{"begin_ns", column(trace, &Activity::begin_ns)},
                           {"end_ns", column(trace, &Activity::end_ns)},
                           {"name", column(trace, &Activity::name)},
                           {"track", column(trace, &Activity::track)},
                           {"step", column(trace, &Activity::step)},
                           {"microbatch", column(trace, &Activity::microbatch)},
                           {"bytes", column(trace, &Activity::bytes)},
                           {"kind", kinds}}}};
  const std::filesystem::path temporary = file.string() + ".part";
  std::ofstream out(temporary, std::ios::binary);
  out << document.dump() << '\n';
  out.close();
  if (!out) throw Failure("setup", fmt::format("{}: cannot be written; is there space on the disk?", file.string()));
  std::filesystem::rename(temporary, file);
}

Trace read_trace(const std::filesystem::path& file) try {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Failure("usage", "cannot be read");
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
  read_column(trace, columns, "begin_ns", &Activity::begin_ns);
  read_column(trace, columns, "end_ns", &Activity::end_ns);
  read_column(trace, columns, "name", &Activity::name);
  read_column(trace, columns, "track", &Activity::track);
  read_column(trace, columns, "step", &Activity::step);
  read_column(trace, columns, "microbatch", &Activity::microbatch);
  read_column(trace, columns, "bytes", &Activity::bytes);
  for (size_t i = 0; i < trace.activities.size(); ++i)
    trace.activities[i].kind = kind_named(kinds.at(i).get<std::string>());
  check_indices(trace);
  return trace;
} catch (const nlohmann::json::exception& error) {
  throw Failure("usage", fmt::format("{}: not a trace: {}", file.string(), error.what()));
} catch (const Failure& failure) {
  throw Failure(failure.kind(), fmt::format("{}: {}", file.string(), failure.what()));
}

void merge(Trace& whole, const Trace& part) {
  const auto names = static_cast<uint32_t>(whole.names.size()), tracks = static_cast<uint32_t>(whole.tracks.size());
  whole.names.insert(whole.names.end(), part.names.begin(), part.names.end());
  whole.tracks.insert(whole.tracks.end(), part.tracks.begin(), part.tracks.end());
  for (Activity a : part.activities) {
    a.name += names;
    a.track += tracks;
    whole.activities.push_back(a);
  }
  whole.dropped += part.dropped;
}

}  // namespace lockstep::profiler
