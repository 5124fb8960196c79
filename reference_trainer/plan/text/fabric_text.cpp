#include "reference_trainer/plan/text/fabric_text.h"

#include <array>

#include "reference_trainer/plan/text/forms.h"

namespace lockstep::text {

constexpr std::array<std::string_view, 4> kFirst = {"alpha", "bandwidth", "straggler", "sigma"};

FabricText scan_fabric(Scanner& in) {
  FabricText fabric{scan_name(in, "a fabric such as threads"), {}};
  if (in.take(':')) fabric.arguments = scan_arguments(in, Bare::yes, Slash::yes);
  order_keys(fabric.arguments, kFirst);
  return fabric;
}

FabricText parse_fabric(std::string_view text) {
  FabricText out;
  parse_or_refuse("fabric", text, "threads", [&](Scanner& in) {
    out = scan_fabric(in);
    in.expect_end("\":\", \",\" or ");
    return print(out);
  });
  return out;
}

}  // namespace lockstep::text
