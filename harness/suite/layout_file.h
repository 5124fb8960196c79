#pragma once

#include <filesystem>

#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::suite {

/// A strategy whose layout is a file of `folder`, as in dp2/layout:mine.json, with the file's rules in its place:
/// dp2/layout:dp.hidden-out.linear.fc1,dp.batch-else. What is recorded, compared and given to workers is thus what the
/// file said, and two files of one name are two strategies. Any other strategy as it is. Throws Failure("usage") with
/// file, place, value, rule and remedy.
text::Strategy with_layout_file(text::Strategy strategy, const std::filesystem::path& folder = ".");

}  // namespace lockstep::suite
