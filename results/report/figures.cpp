#include "results/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::report {
namespace {

int decimals(double value) {
  const double size = std::abs(value);
  if (!(size > 0)) return 0;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(size) + 1e-9)), 0, 9);
}

// Characters, not bytes: continuation bytes of UTF-8 take no column.
size_t columns(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string number(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::abs(value);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, decimals(value));
}

std::string with_interval(const stats::Estimate& estimate, double unit) {
  if (!estimate.ok() || std::isnan(estimate.value)) return "-";
  const double value = estimate.value / unit;
  const int digits = decimals(value);
  if (!(estimate.level > 0)) return fmt::format("{:.{}f}", value, digits);
  return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", value, digits, estimate.low / unit, digits, estimate.high / unit,
                     digits);
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", fraction * 100); }

std::string cut(const std::string& line, size_t width) {
  if (columns(line) <= width) return line;
  std::string out;
  size_t used = 0;
  for (char c : line) {
    const bool starts = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    if (starts && used++ == width - 3) break;
    out += c;
  }
  return out + "...";
}

std::string wrap(const std::string& text, size_t width, int lines, size_t hang) {
  std::string out, rest = text;
  for (int line = 1; line < lines && columns(rest) > width; ++line) {
    // Bytes are at least as many as columns, so a line found by bytes is never too wide.
    size_t end = rest.rfind(' ', width);
    if (end == std::string::npos || end < width / 2) end = rest.find_last_of("|,", width - 1) + 1;
    if (end < width / 2) end = width;
    out += rest.substr(0, rest.find_last_not_of(' ', end - 1) + 1) + "\n";
    rest = std::string(hang, ' ') + rest.substr(std::min(rest.size(), rest.find_first_not_of(' ', end)));
  }
  return out + cut(rest, width) + "\n";
}

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string Columns::text(size_t left) const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    if (row.size() < 2) continue;
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string fill(row.size() < 2 || widths[i] < columns(row[i]) ? 0 : widths[i] - columns(row[i]), ' ');
      line += i < left ? row[i] + fill : fill + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace lockstep::report
