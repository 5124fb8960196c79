#include "gui/core/timeline/imported_file.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>

#include "adapters/contract/failure.h"
#include "profiler/sinks/trace_file.h"
#include "results/store/id.h"

namespace lockstep::gui::timeline {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "the file's numbers are little-endian");

constexpr std::string_view kMagic = "lockstep.columns 2\n";
constexpr size_t kHashDigits = 32;

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code gone;
  const uintmax_t size = fs::file_size(file, gone);
  std::string out(gone ? 0 : size, '\0');
  in.read(out.data(), static_cast<std::streamsize>(out.size()));
  return in ? out : std::string();
}

/// Appends numbers, texts with their length, and columns without: the counts come first.
class Writer {
 public:
  template <class T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(const std::string& value) {
    number<uint64_t>(value.size());
    bytes_ += value;
  }
  template <class T>
  void column(const std::vector<T>& values) {
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void reserve(size_t bytes) { bytes_.reserve(bytes); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads what Writer wrote; `ok` is false from the first read beyond the end.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T number() {
    T value{};
    take(&value, sizeof value);
    return value;
  }
  std::string text() {
    const auto size = number<uint64_t>();
    if (size > rest_.size()) ok_ = false;
    std::string out(ok_ ? size : 0, '\0');
    take(out.data(), out.size());
    return out;
  }
  template <class T>
  void column(std::vector<T>& values, uint64_t count) {
    if (count > rest_.size() / sizeof(T)) ok_ = false;
    values.resize(ok_ ? count : 0);
    take(values.data(), values.size() * sizeof(T));
  }
  bool ok() const { return ok_; }
  bool ended() const { return ok_ && rest_.empty(); }

 private:
  void take(void* to, size_t size) {
    ok_ = ok_ && size <= rest_.size();
    if (!ok_ || size == 0) return;
    std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
  bool ok_ = true;
};

// The one list of columns, for both directions.
template <class ColumnsT, class Each>
void for_columns(ColumnsT& columns, Each each) {
  each(columns.begin_ns), each(columns.end_ns), each(columns.bytes), each(columns.name), each(columns.step);
  each(columns.microbatch), each(columns.kind);
}

template <class TransfersT, class Each>
void for_transfers(TransfersT& transfers, Each each) {
  each(transfers.activity), each(transfers.peer), each(transfers.tag), each(transfers.bytes), each(transfers.way);
}

std::string payload_of(const Columns& columns) {
  Writer out;
  out.reserve(columns.size() * 41 + 65536);
  out.number<int64_t>(columns.dropped);
  out.number<uint64_t>(columns.names.size());
  for (const std::string& name : columns.names) out.text(name);
  out.number<uint64_t>(columns.tracks.size());
  for (const Track& track : columns.tracks) {
    out.number(track.rank), out.text(track.name), out.number(track.origin);
    out.number(track.first_row), out.number(track.rows);
  }
  out.number<uint64_t>(columns.row_begin.size());
  out.column(columns.row_begin);
  out.number<uint64_t>(columns.size());
  for_columns(columns, [&](const auto& column) { out.column(column); });
  out.number<uint64_t>(columns.transfers.size());
  for_transfers(columns.transfers, [&](const auto& column) { out.column(column); });
  return out.bytes();
}

std::optional<Columns> columns_in(std::string_view payload) {
  Reader in(payload);
  Columns out;
  out.dropped = in.number<int64_t>();
  for (auto names = in.number<uint64_t>(); names > 0 && in.ok(); --names) out.names.push_back(in.text());
  for (auto tracks = in.number<uint64_t>(); tracks > 0 && in.ok(); --tracks) {
    Track track;
    track.rank = in.number<int32_t>(), track.name = in.text(), track.origin = in.number<activity::Origin>();
    track.first_row = in.number<uint32_t>(), track.rows = in.number<uint32_t>();
    out.tracks.push_back(std::move(track));
  }
  in.column(out.row_begin, in.number<uint64_t>());
  const auto count = in.number<uint64_t>();
  for_columns(out, [&](auto& column) { in.column(column, count); });
  const auto transfers = in.number<uint64_t>();
  for_transfers(out.transfers, [&](auto& column) { in.column(column, transfers); });
  return in.ended() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

fs::path imported_path(const fs::path& trace_file) { return trace_file.string() + ".columns"; }

void write_imported(const fs::path& file, const Columns& columns, const Source& source) {
  const std::string payload = payload_of(columns);
  const fs::path temporary = fmt::format("{}.{}.part", file.string(), getpid());
  std::ofstream out(temporary, std::ios::binary);
  out << kMagic << source.hash << store::content_hash(payload);
  out.write(reinterpret_cast<const char*>(&source.bytes), sizeof source.bytes);
  out << payload;
  out.close();
  std::error_code error;
  if (out) fs::rename(temporary, file, error);
  if (!out || error) {
    fs::remove(temporary, error);
    throw Failure("setup",
                  fmt::format("{}: cannot be written; is there space, and may you write there?", file.string()));
  }
}

std::optional<Columns> read_imported(const fs::path& file, const Source& source) {
  const std::string bytes = bytes_of(file);
  std::string_view rest = bytes;
  constexpr size_t kHead = kMagic.size() + 2 * kHashDigits + sizeof(uint64_t);
  if (rest.size() < kHead || !rest.starts_with(kMagic)) return std::nullopt;
  rest.remove_prefix(kMagic.size());
  Source made_from;
  made_from.hash = rest.substr(0, kHashDigits);
  const std::string_view own_hash = rest.substr(kHashDigits, kHashDigits);
  std::memcpy(&made_from.bytes, rest.data() + 2 * kHashDigits, sizeof made_from.bytes);
  rest.remove_prefix(2 * kHashDigits + sizeof made_from.bytes);
  if (made_from != source || store::content_hash(rest) != own_hash) return std::nullopt;
  return columns_in(rest);
}

Opened open_trace(const fs::path& trace_file, const Progress& progress) {
  Source source;
  {
    const std::string text = bytes_of(trace_file);
    source = {text.size(), store::content_hash(text)};
  }
  if (auto columns = read_imported(imported_path(trace_file), source)) return {std::move(*columns), ""};
  Opened out{columns_of(profiler::read_trace(trace_file, progress)), ""};
  try {
    write_imported(imported_path(trace_file), out.columns, source);
  } catch (const Failure& failure) {
    out.note = std::string("each opening imports the trace again: ") + failure.what();
  }
  return out;
}

}  // namespace lockstep::gui::timeline
