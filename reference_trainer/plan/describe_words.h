#pragma once

#include <string>
#include <vector>

#include "reference_trainer/plan/describe.h"

/// What a description says in words: the same on a terminal and on a page.
namespace lockstep::plan {

std::string in_mebibytes(int64_t bytes);  ///< "1.50"
/// "12,345".
std::string with_commas(int64_t number);
/// "1.049 MB"; below 100 kB "24.576 kB" (1000 B).
std::string sent_text(int64_t bytes);

/// "stage 1", or where a rank has several stages or each stage several ranks "pp 1".
std::string place_name(const Description& description, size_t place);
/// "stage 0: ranks 0-3: embed (tied), layers 0-1".
std::string place_line(const Description& description, size_t place);
/// "pp2.dp2: 4 ranks; global batch 32 = 2 dp x 8 microbatches x 2 samples".
std::string batch_line(const Description& description);

/// Of all places: one text where they agree; "1 x 927,236 or 862,724" where only sizes differ; otherwise the first and
/// the last that differ.
std::string calls_of(const ExchangeLine& line);
/// Bytes that the ranks of the place with most send for loss and norms, which no line of exchanges has.
int64_t control_bytes(const Description& description);

/// "schedule 1f1b: F 1 unit, B 2 units, 27 units a step".
std::string schedule_line(const PipelineView& view);
/// "bubble (p-1)/(m+p-1) = 11.1 % of the step (12.5 % of ideal) if stages are equal", and "13.4 % with the FLOPs of
/// these".
std::vector<std::string> bubble_lines(const PipelineView& view);

}  // namespace lockstep::plan
