#include "harness/exec/expression.h"

#include <fmt/format.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "adapters/contract/failure.h"

namespace lockstep::exec {

struct Expression::Compiled {
  struct Named {
    std::string name;
    uint32_t number = 0;
  };
  pcre2_code* code = nullptr;
  pcre2_match_data* match = nullptr;
  std::vector<Named> groups;

  ~Compiled() {
    pcre2_match_data_free(match);
    pcre2_code_free(code);
  }
};

namespace {

std::string reason_of(int error) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(error, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

// The table of names (pcre2api(3)): entries of equal size, two bytes of number, then the name with its zero.
template <class Named>
std::vector<Named> names_of(const pcre2_code* code) {
  uint32_t count = 0, size = 0;
  PCRE2_SPTR table = nullptr;
  pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &count);
  pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &size);
  pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &table);
  std::vector<Named> names;
  for (uint32_t i = 0; i < count; ++i, table += size) {
    names.push_back({reinterpret_cast<const char*>(table + 2), static_cast<uint32_t>(table[0] << 8 | table[1])});
  }
  return names;
}

}  // namespace

Expression::Expression(const std::string& text) : compiled_(std::make_unique<Compiled>()) {
  int error = 0;
  PCRE2_SIZE at = 0;
  // Invalid UTF-8 in a log matches nothing but disturbs nothing; the same name may stand in several alternatives.
  constexpr uint32_t kOptions = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DUPNAMES;
  compiled_->code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), kOptions, &error, &at, nullptr);
  if (compiled_->code == nullptr) {
    refuse({"", fmt::format("--log column {}", at + 1), text, reason_of(error),
            "the syntax is Perl's and Python's: iter (?<step>\\d+): loss (?<loss>\\S+)"});
  }
  pcre2_jit_compile(compiled_->code, PCRE2_JIT_COMPLETE);  // where there is no JIT, it is only slower
  compiled_->match = pcre2_match_data_create_from_pattern(compiled_->code, nullptr);
  compiled_->groups = names_of<Compiled::Named>(compiled_->code);
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;

bool Expression::search(std::string_view line, std::vector<Group>& groups) const {
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(line.data());
  // Also negative where the expression needs too long for this line (pcre2's match limit): then it does not match.
  if (pcre2_match(compiled_->code, subject, line.size(), 0, 0, compiled_->match, nullptr) < 0) return false;
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(compiled_->match);
  for (const Compiled::Named& group : compiled_->groups) {
    const PCRE2_SIZE begin = ends[2 * group.number], end = ends[2 * group.number + 1];
    if (begin == PCRE2_UNSET) continue;
    groups.push_back({group.name, line.substr(begin, end - begin)});
  }
  return true;
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> all;
  for (const Compiled::Named& group : compiled_->groups) all.push_back(group.name);
  return all;
}

}  // namespace lockstep::exec
