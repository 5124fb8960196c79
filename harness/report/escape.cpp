#include "harness/report/escape.h"

#include <string_view>

#include "harness/json/utf8.h"

namespace lockstep::report {
namespace {

struct Replacement {
  char from;
  std::string_view to;
};

template <size_t N>
std::string replaced(const std::string& text, const Replacement (&table)[N]) {
  std::string out;
  for (const char c : json::printable(text)) {
    const Replacement* found = nullptr;
    for (const Replacement& one : table) {
      if (one.from == c) found = &one;
    }
    if (found != nullptr) {
      out += found->to;
    } else {
      out += c;
    }
  }
  return out;
}

constexpr Replacement kXml[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "&#10;"}};
constexpr Replacement kMarkdown[] = {{'\n', " "},  {'|', "\\|"}, {'<', "&lt;"},  {'&', "&amp;"}, {'*', "\\*"},
                                     {'_', "\\_"}, {'`', "\\`"}, {'\\', "\\\\"}, {'[', "\\["},   {']', "\\]"}};
constexpr Replacement kWorkflow[] = {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}};
constexpr Replacement kProperty[] = {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}};

}  // namespace

std::string xml(const std::string& text) { return replaced(text, kXml); }
std::string markdown(const std::string& text) { return replaced(text, kMarkdown); }
std::string workflow_text(const std::string& text) { return replaced(text, kWorkflow); }
std::string workflow_property(const std::string& text) { return replaced(text, kProperty); }

}  // namespace lockstep::report
