#pragma once

#include <map>
#include <set>
#include <string>

#include "workloads/data/node.h"

namespace lockstep::workloads {

/// What "$name" stands for: whole numbers, or texts (names of tensors inside a repetition).
using Scope = std::map<std::string, Json>;

/// A copy of the node's value with the variables of its texts put in. A text that is wholly a product or quotient of
/// variables and whole numbers ("$width*4", "$width/$heads", "$x") becomes its value; in any other text ("b$i.ln1")
/// each variable becomes its text. Refuses unknown variables, naming the nearest, and divisions that leave a rest.
Json substitute(const Node& node, const Scope& scope);

/// The flat list of ops of a "graph" list: repetitions are expanded, variables put in. Refuses ops without "op",
/// "name" or "in", names that are not unique, and operands that are none of `tensors` (the inputs) or earlier ops.
Json expand_graph(const Node& graph, Scope scope, std::set<std::string> tensors);

}  // namespace lockstep::workloads
