#include "harness/supervisor/whole_file.h"

#include <cstdio>
#include <fstream>

#include "adapters/contract/failure.h"

namespace lockstep::supervisor {

void write_whole(const std::string& path, const std::string& text) {
  const std::string partial = path + ".partial";
  {
    std::ofstream file(partial);
    file << text;
    file.flush();
    if (!file) throw Failure("setup", partial + ": cannot be written; is the disk full?");
  }
  if (std::rename(partial.c_str(), path.c_str()) != 0) throw Failure("setup", path + ": cannot be renamed into place");
}

}  // namespace lockstep::supervisor
