#include <fmt/format.h>

#include <utility>

#include "harness/cli/commands.h"
#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/plan/terms/table.h"
#include "reference_trainer/plan/terms/terms_of.h"
#include "results/json/writer.h"
#include "results/report/figures.h"

namespace lockstep::cli {
namespace {

std::string document() {
  json::Writer out;
  out.open_object().member("format", "lockstep.strategies").member("version", 1).key("terms").open_array();
  for (const terms::Row& row : terms::table()) {
    out.open_object()
        .member("kind", terms::name(row.kind))
        .member("term", terms::written(row))
        .member("meaning", row.meaning);
    out.known("parameters", terms::describe_parameters(row)).known("needs", row.needs);
    out.known("conflicts", row.conflicts).known("conflict_reason", row.conflict_why);
    out.member("supported", row.supported()).known("where", row.where).known("because", row.because).close();
  }
  return out.close().close().text();
}

constexpr size_t kTermsWidth = 100, kTextColumn = 26;
constexpr int kTermsLines = 12;

void add_row(std::string& out, const terms::Row& row) {
  std::string name = "  " + terms::written(row);
  const auto add = [&](const std::string& text) {
    out += report::wrap(fmt::format("{:<{}}{}", std::exchange(name, ""), kTextColumn, text), kTermsWidth, kTermsLines,
                        kTextColumn);
  };
  const std::string parameters = terms::describe_parameters(row);
  add(std::string(row.meaning) + (parameters.empty() ? "" : "  [" + parameters + "]"));
  if (!row.supported()) add(fmt::format("unsupported, because {}", row.because));
  if (!row.needs.empty()) add(fmt::format("needs {} with at least 2 ranks", row.needs));
  if (!row.conflicts.empty()) add(fmt::format("not with {}: {}", row.conflicts, row.conflict_why));
}

}  // namespace

int strategies(const Arguments&, const Context& context) {
  if (context.json) {
    context.print(document());
    return 0;
  }
  std::string out;
  const terms::Row* last = nullptr;
  for (const terms::Row& row : terms::table()) {
    if (last == nullptr || last->kind != row.kind) out += fmt::format("{}\n", terms::name(row.kind));
    add_row(out, row);
    last = &row;
  }
  context.print(out);
  return 0;
}

}  // namespace lockstep::cli
