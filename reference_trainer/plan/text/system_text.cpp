#include "reference_trainer/plan/text/system_text.h"

#include <array>

#include "reference_trainer/plan/text/forms.h"

namespace lockstep::text {

constexpr std::array<std::string_view, 2> kFirstOptions = {"env", "version"};

const std::string* SystemText::find(std::string_view key) const {
  for (const Argument& option : options) {
    if (option.key == key) return &option.value;
  }
  return nullptr;
}

SystemText scan_system(Scanner& in) {
  SystemText system{scan_id(in, "a system such as reference"), {}};
  if (in.take(':')) system.options = scan_arguments(in, Bare::no, Slash::yes);
  order_keys(system.options, kFirstOptions);
  return system;
}

SystemText parse_system(std::string_view text) {
  SystemText out;
  parse_or_refuse("system", text, "reference", [&](Scanner& in) {
    out = scan_system(in);
    in.expect_end("\":\", \",\" or ");
    return print(out);
  });
  return out;
}

std::string print(const SystemText& system) {
  return system.options.empty() ? system.id : system.id + ":" + print(system.options);
}

}  // namespace lockstep::text
