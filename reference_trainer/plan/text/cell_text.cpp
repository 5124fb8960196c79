#include "reference_trainer/plan/text/cell_text.h"

#include "reference_trainer/plan/text/forms.h"

namespace lockstep::text {
namespace {

void expect_blank(Scanner& in, std::string_view before, std::string_view usual) {
  if (!in.take(' ')) {
    in.fail(in.position(), "expected one blank and " + std::string(before), 0,
            in.done() ? " " + std::string(usual) : "");
  }
  if (in.peek() == ' ') in.fail(in.position(), "expected " + std::string(before) + " after one blank", 1);
  if (in.done()) in.fail(in.position(), "expected " + std::string(before), 0, std::string(usual));
}

Cell scan_cell(Scanner& in) {
  Cell cell;
  cell.workload = scan_workload(in);
  expect_blank(in, "a system", "reference");
  cell.system = scan_system(in);
  expect_blank(in, "a strategy", "serial");
  cell.strategy = scan_strategy(in);
  std::optional<FabricText> fabric;
  if (!in.done()) {
    if (!in.take(" on ")) in.fail("expected \"/\", \"+\", \"@\", \" on FABRIC\" or the end");
    fabric = scan_fabric(in);
    in.expect_end("\":\", \",\" or ");
  }
  return make_cell(std::move(cell.workload), std::move(cell.system), std::move(cell.strategy), std::move(fabric));
}

}  // namespace

Cell make_cell(WorkloadText workload, SystemText system, Strategy strategy, std::optional<FabricText> fabric) {
  if (ranks(strategy) == 1) fabric.reset();
  return {std::move(workload), std::move(system), std::move(strategy), std::move(fabric)};
}

Cell parse_cell(std::string_view text) {
  Cell out;
  parse_or_refuse("cell", text, "mlp-fashion:tiny reference serial", [&](Scanner& in) {
    out = scan_cell(in);
    return print(out);
  });
  return out;
}

std::string print(const Cell& cell) {
  std::string out = print(cell.workload) + " " + print(cell.system) + " " + print(cell.strategy);
  if (cell.fabric) out += " on " + print(*cell.fabric);
  return out;
}

}  // namespace lockstep::text
