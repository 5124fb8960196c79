#include "adapters/contract/memory.h"

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace lockstep::contract {
namespace {

/// The "Name:   123 kB" value of a /proc file in bytes.
std::optional<int64_t> kib_field(const char* file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    const size_t digit = line.find_first_of("0123456789");
    if (digit == std::string::npos) return std::nullopt;
    int64_t kib = 0;
    std::from_chars(line.data() + digit, line.data() + line.size(), kib);
    return kib * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProcessMemory> process_memory() {
  const auto rss = kib_field("/proc/self/status", "VmRSS:");
  const auto peak = kib_field("/proc/self/status", "VmHWM:");
  const auto pss = kib_field("/proc/self/smaps_rollup", "Pss:");
  if (!rss || !peak || !pss) return std::nullopt;
  return ProcessMemory{*rss, *peak, *pss};
}

bool reset_peak_memory() {
  std::ofstream out("/proc/self/clear_refs");
  out << "5";
  out.close();
  return static_cast<bool>(out);
}

}  // namespace lockstep::contract
