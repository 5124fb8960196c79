#include "results/store/id.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "adapters/contract/invariant.h"

namespace lockstep::store {

std::string make_id() {
  uint64_t random[2] = {};
  const ssize_t got = getrandom(random, sizeof random, 0);
  LOCKSTEP_INVARIANT(got == static_cast<ssize_t>(sizeof random), "getrandom gave {} bytes of {}", got, sizeof random);
  const auto ms = static_cast<uint64_t>(now_utc_ns() / 1'000'000);
  const uint64_t high = ms << 16 | 0x7000u | (random[0] & 0x0FFF);
  const uint64_t low = 0x8000'0000'0000'0000u | (random[1] & 0x3FFF'FFFF'FFFF'FFFFu);
  return fmt::format("{:016x}{:016x}", high, low);
}

bool is_id(std::string_view text) {
  const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() == 32 && std::all_of(text.begin(), text.end(), hex);
}

std::string content_hash(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

int64_t now_utc_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

std::string utc_text(int64_t utc_ns) {
  const std::time_t seconds = utc_ns / 1'000'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec, utc_ns % 1'000'000'000 / 1'000'000);
}

}  // namespace lockstep::store
