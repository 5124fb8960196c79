#pragma once

#include <string>
#include <vector>

#include "results/report/model.h"

/// What every written table says in the same words.
namespace lockstep::report {

/// "throughput [ktokens/s]"
std::string heading(const Column& column);
std::vector<std::string> headings(const Table& table);

/// "48.8 [48.1, 49.3]", or "- (not run)".
std::string shown(const Value& value);

/// The table's notes, and what its intervals and bases are.
std::vector<std::string> notes_of(const Table& table);

}  // namespace lockstep::report
