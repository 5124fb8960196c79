#include <fmt/format.h>

#include <algorithm>

#include "adapters/contract/plural.h"
#include "harness/cli/plan_text.h"
#include "reference_trainer/plan/describe_words.h"
#include "reference_trainer/plan/text/quantity.h"
#include "results/report/figures.h"

namespace lockstep::cli {
namespace {

using plan::Candidate;

constexpr int64_t kShownCandidates = 20;  ///< rows of each kind, unless all are wanted

constexpr size_t kSearchWidth = 100;
constexpr int kSearchLines = 12;  ///< of one strategy's reason

std::string in_lines(const std::string& text) { return report::wrap(text, kSearchWidth, kSearchLines); }

std::string peak_text(int64_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  return mebibytes < 1024 ? fmt::format("{:.2f} MiB", mebibytes) : fmt::format("{:.2f} GiB", mebibytes / 1024);
}

std::string candidate_table(const std::vector<const Candidate*>& rows, size_t most, std::string_view heading) {
  size_t width = heading.size();
  for (const Candidate* row : rows) width = std::max(width, text::print(row->strategy).size());
  std::string out = fmt::format("{:<{}}  {:>10}  {:>12}  {:>8}\n", heading, width, "peak", "sent", "bubble");
  for (size_t i = 0; i < std::min(rows.size(), most); ++i) {
    const Candidate& row = *rows[i];
    const std::string figures =
        fmt::format("{:<{}}  {:>10}  {:>12}  {:>6.1f} %", text::print(row.strategy), width, peak_text(row.peak_bytes),
                    row.sent_bytes == 0 ? "-" : plan::sent_text(row.sent_bytes), 100 * row.bubble);
    out += in_lines(row.reason.empty() ? figures : figures + "  " + row.reason);
  }
  if (rows.size() > most) out += fmt::format("and {} more: -v shows all\n", rows.size() - most);
  return out;
}

std::string refusal_lines(const std::vector<const Candidate*>& rows, size_t most) {
  std::string out = fmt::format("refused: {}\n", rows.size());
  for (size_t i = 0; i < std::min(rows.size(), most); ++i)
    out += in_lines(fmt::format("  {}  {}: {}", text::print(rows[i]->strategy), rows[i]->kind, rows[i]->reason));
  if (rows.size() > most) out += fmt::format("  and {} more: -v shows all\n", rows.size() - most);
  return out;
}

}  // namespace

std::string search_page(const workloads::Workload& workload, const plan::Search& search, int ranks, int64_t fit_bytes,
                        bool verbose) {
  std::vector<const Candidate*> fit, large, refused;
  for (const Candidate& candidate : search.candidates)
    (candidate.kind.empty() ? fit : candidate.legal() ? large : refused).push_back(&candidate);
  const size_t most = verbose ? search.candidates.size() : static_cast<size_t>(kShownCandidates);
  const std::string limit = fit_bytes > 0 ? fmt::format(" within {} a rank", text::print_bytes(fit_bytes)) : "";
  std::string out =
      fmt::format("{} on {}, batch {}: {} of {} strategies are legal and fit{}\n", workload.text, plural(ranks, "rank"),
                  workload.recipe.batch, fit.size(), search.candidates.size(), limit);
  out += "by planned peak memory, then bytes sent per rank and step, then idle share by FLOPs\n";
  if (!fit.empty()) out += candidate_table(fit, most, "fits");
  if (!large.empty()) out += candidate_table(large, most, "does not fit");
  if (!refused.empty()) out += refusal_lines(refused, most);
  for (const std::string& axis : search.idle_axes) out += in_lines("not tried: " + axis);
  if (search.not_tried > 0)
    out += fmt::format("not tried: {} more, beyond the first {}\n", search.not_tried, plan::kMostCandidates);
  return out + "one of them in full: lockstep plan WORKLOAD STRATEGY\n";
}

}  // namespace lockstep::cli
