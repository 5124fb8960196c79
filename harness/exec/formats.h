#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::exec {

/// A log format that is known by name. Its expressions are regular ones in which {name} is short for a named group that
/// takes a number. What the names mean:
///
///   step                  the optimizer step that the line is about; where no line has one, each line counts as one
///   epoch, batch, total   step = epoch x total + batch, for a format that counts by epochs
///   total                 how many steps there are; lines with another total than most are not the training's
///   loss                  in nat
///   time_s, time_ms       how long the line's own step took: used where every step has a line
///   mean_s, mean_ms       the mean over the steps since the line before: used always
///   samples, tokens       in one step, of all ranks
///
/// Any other name is kept as a metric: it should carry its unit.
struct LogFormat {
  std::string name;
  std::vector<std::string> expressions;  ///< each line is tried with all of them
  std::string source;                    ///< what writes such lines
};

/// The source of an expression of the user's own.
inline constexpr const char* kGiven = "--log";

/// In the order in which an automatic choice prefers them.
std::span<const LogFormat> formats();

/// What `--log` names: a format of the table, or an expression of the user's own. Failure "usage" for anything else,
/// with the names there are.
LogFormat format_of(const std::string& text);

/// An expression with every {name} written out: "iter {step}:" is "iter (?<step>NUMBER):".
std::string written_out(std::string_view expression);

}  // namespace lockstep::exec
