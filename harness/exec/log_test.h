#pragma once

#include <string>

namespace lockstep::exec {

/// What `lockstep exec` would read in a log, without running anything.
struct LogTest {
  std::string file, text;
  std::string log = "auto";  ///< a format's name, an expression, or auto
};

/// Lines that each format matches, the first and last step, whose times count, what matched nothing. Failure "usage"
/// for an expression that is none.
std::string to_text(const LogTest& test);
/// The same, format lockstep.log_test.
std::string to_json(const LogTest& test);

}  // namespace lockstep::exec
