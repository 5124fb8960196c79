#include "reference_trainer/plan/text/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "adapters/contract/invariant.h"
#include "adapters/contract/nearest.h"
#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/plan/terms/table.h"
#include "reference_trainer/plan/text/canonical.h"
#include "reference_trainer/plan/text/forms.h"

namespace lockstep::text {
namespace {

constexpr std::array<std::string_view, 7> kAxes = {"dp", "tp", "pp", "cp", "ep", "h", "w"};

MeshAxis scan_axis(Scanner& in, const std::vector<MeshAxis>& before) {
  const size_t begin = in.position();
  const std::string_view word = in.take_letters();
  const auto found = std::find(kAxes.begin(), kAxes.end(), word);
  if (found == kAxes.end()) {
    std::string better = word.empty() ? "dp" : nearest(lower_case(word), kAxes);
    if (in.done()) better.clear();
    in.fail(begin, fmt::format("expected {}an axis ({})", before.empty() ? "serial or " : "", fmt::join(kAxes, ", ")),
            word.size(), better);
  }
  const Axis axis = static_cast<Axis>(found - kAxes.begin());
  if (std::any_of(before.begin(), before.end(), [&](const MeshAxis& m) { return m.axis == axis; })) {
    in.fail(begin, fmt::format("expected each axis once, {} is there already", word));
  }
  const size_t number = in.position();
  const std::string_view digits = in.take_digits();
  if (digits.empty()) in.fail(number, fmt::format("expected the size of {}", word), 0, "2");
  int64_t others = 1, size = 0;
  for (const MeshAxis& m : before) others *= m.size;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  const int64_t most = kMostRanks / others;
  if (error != std::errc() || size < 1 || size > most) {
    in.fail(number,
            fmt::format("expected a size of {} from 1 to {}: a mesh has at most {} ranks", word, most, kMostRanks),
            digits.size(), error == std::errc() && size < 1 ? "1" : std::to_string(most));
  }
  return {axis, static_cast<int>(size)};
}

std::vector<MeshAxis> scan_mesh(Scanner& in) {
  if (in.take("serial")) return {};
  std::vector<MeshAxis> axes;
  do axes.push_back(scan_axis(in, axes));
  while (in.take('.'));
  return axes;
}

/// A name with less than half of it in common is another word, no slip.
bool is_near(std::string_view written, std::string_view name) {
  return !name.empty() && 2 * edit_distance(written, name) <= std::max(written.size(), name.size());
}

/// Names of what this version does after the mark on such a mesh.
std::vector<std::string_view> possible_names(std::string_view mark, const std::vector<MeshAxis>& axes) {
  std::vector<std::string_view> names;
  for (const terms::Row& row : terms::table()) {
    if (terms::mark(row.kind) == mark && row.supported() && terms::has_its_axes(row, axes)) names.push_back(row.name);
  }
  return names;
}

/// `mark` is the character before it, `what` what may stand there.
Term scan_term(Scanner& in, std::string_view mark, std::string_view what, const std::vector<Term>& before,
               const std::vector<MeshAxis>& axes) {
  const size_t begin = in.position();
  Term term{scan_name(in, what), {}};
  if (!terms::find(mark, term.name)) {
    const std::vector<std::string_view> possible = possible_names(mark, axes);
    const std::string better = nearest(term.name, possible);
    in.fail(begin,
            fmt::format("expected {} (on this mesh: {})", what,
                        possible.empty() ? "none" : fmt::format("{}", fmt::join(possible, ", "))),
            term.name.size(), is_near(term.name, better) ? better : "");
  }
  if (std::any_of(before.begin(), before.end(), [&](const Term& t) { return t.name == term.name; })) {
    in.fail(begin, fmt::format("expected each term once, {} is there already", term.name));
  }
  if (in.take(':')) term.arguments = scan_arguments(in, Bare::yes, Slash::no);
  return term;
}

const Term* find_term(const std::vector<Term>& terms, std::string_view name) {
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const Term& term) { return term.name == name; });
  return found == terms.end() ? nullptr : &*found;
}

}  // namespace

std::string_view name(Axis axis) { return kAxes[static_cast<size_t>(axis)]; }

int Strategy::size(Axis axis) const {
  for (const MeshAxis& m : axes) {
    if (m.axis == axis) return m.size;
  }
  return 1;
}

const Term* Strategy::find_pass(std::string_view name) const { return find_term(passes, name); }
const Term* Strategy::find_agreement(std::string_view name) const { return find_term(agreements, name); }

int ranks(const Strategy& strategy) {
  int64_t product = 1;
  for (const MeshAxis& m : strategy.axes) {
    product *= m.size;
    LOCKSTEP_INVARIANT(m.size >= 1 && product <= kMostRanks, "{} ranks at axis {}{}", product, name(m.axis), m.size);
  }
  return static_cast<int>(product);
}

Strategy scan_strategy(Scanner& in) {
  Strategy out;
  out.axes = scan_mesh(in);
  while (in.take('/')) out.passes.push_back(scan_term(in, "/", "a layout, schedule or pass", out.passes, out.axes));
  while (in.take('+'))
    out.agreements.push_back(scan_term(in, "+", "a policy, wrapper or codec", out.agreements, out.axes));
  if (in.take('@')) out.collective = scan_term(in, "@", "a collective", {}, out.axes);
  return canonical(std::move(out));
}

Strategy parse_strategy(std::string_view text) {
  Strategy out;
  parse_or_refuse("strategy", text, "serial", [&](Scanner& in) {
    out = scan_strategy(in);
    const bool agreed = !out.agreements.empty();
    in.expect_end(out.collective ? "" : agreed ? "\"+\", \"@\" or " : "\"/\", \"+\", \"@\" or ");
    return print(terms::nearest_supported(out));  // as a remedy: one that runs
  });
  return out;
}

std::string print(const Strategy& strategy) {
  std::string out;
  for (const MeshAxis& m : strategy.axes) out += fmt::format("{}{}{}", out.empty() ? "" : ".", name(m.axis), m.size);
  if (out.empty()) out = "serial";
  for (const Term& pass : strategy.passes) out += "/" + print(pass);
  for (const Term& agreement : strategy.agreements) out += "+" + print(agreement);
  if (strategy.collective) out += "@" + print(*strategy.collective);
  return out;
}

}  // namespace lockstep::text
