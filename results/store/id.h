#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::store {

/// A fresh time-ordered 128-bit identifier (UUID version 7, RFC 9562, 2024) as 32 hex digits, no hyphens: identifiers
/// made later, in any process of this machine, sort later to the millisecond. Random bits come from the kernel.
std::string make_id();

/// True for 32 lower-case hex digits.
bool is_id(std::string_view text);

/// 32 hex digits of XXH3-128: equal texts have equal hashes on every machine.
std::string content_hash(std::string_view text);

/// Nanoseconds since 1970 UTC.
int64_t now_utc_ns();

/// "2026-12-01T09:30:00.123Z".
std::string utc_text(int64_t utc_ns);

}  // namespace lockstep::store
