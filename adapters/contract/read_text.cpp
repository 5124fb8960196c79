#include <fstream>
#include <sstream>

#include "adapters/contract/json_fields.h"

namespace lockstep::contract {

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse({file.string(), "", "", "cannot be read", "check that it is there and readable"});
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace lockstep::contract
