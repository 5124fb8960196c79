#pragma once

#include <string>
#include <string_view>

#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

/// rule = axis "." loop { "-" word } [ "." op [ "." layer ] ]      loop = dim | "whole"
/// word = "plain" | "out" | "in" (Where), "fits" (where_it_fits), "else" (otherwise), "sync" (synchronizes)
///
/// tp.heads                       every op's loop over heads is split over tp
/// dp.hidden-out.linear           the hidden dim that a linear op makes, over dp
/// dp.hidden-out.linear.fc%       of layers whose name begins with fc
/// dp.whole.linear_grad_weight    weight gradients of linear ops are not split over dp
/// dp.batch-else                  samples over dp, of ops that have not taken their operand's split
///
/// Reads one; a layer's name refers to `text`. Throws Failure("usage") with the text, what was expected and the
/// nearest.
LayoutRule parse_rule(std::string_view text);
std::string print(const LayoutRule& rule);

}  // namespace lockstep::plan
