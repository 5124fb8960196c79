#include "adapters/contract/job.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "adapters/contract/json_document.h"
#include "adapters/contract/json_fields.h"

namespace lockstep::contract {
namespace {

using json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kModes = {"time", "verify", "converge", "profile"};

json embedded(const std::string& text, const char* field) {
  json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) throw Failure("internal", fmt::format("job field {} is not JSON: {}", field, text));
  return value;
}

json ranks_json(const std::vector<RankPlace>& ranks) {
  json out = json::array();
  for (const RankPlace& rank : ranks) {
    out.push_back({{"data_index", rank.data_index},
                   {"data_count", rank.data_count},
                   {"stage", rank.stage},
                   {"roles", rank.roles}});
  }
  return out;
}

RankPlace read_rank(const Fields& fields) {
  RankPlace rank;
  fields.required("data_index", rank.data_index);
  fields.required("data_count", rank.data_count);
  fields.optional("stage", rank.stage);
  fields.optional("roles", rank.roles);
  if (rank.data_count < 1 || rank.data_index < 0 || rank.data_index >= rank.data_count) {
    fields.complain("data_index", fmt::format("{} of {}", rank.data_index, rank.data_count), "must be within the count",
                    "");
  }
  return rank;
}

Mode read_mode(const Fields& fields) {
  std::string name = "time";
  fields.optional("mode", name);
  const auto found = std::find(kModes.begin(), kModes.end(), name);
  if (found == kModes.end()) fields.complain("mode", name, "must be time, verify, converge or profile", "");
  return static_cast<Mode>(found - kModes.begin());
}

void read_counts(const Fields& fields, Job& job) {
  fields.required("steps", job.steps);
  fields.optional("warmup", job.warmup);
  fields.optional("seed", job.seed);
  fields.optional("precision", job.precision);
  fields.optional("threads", job.threads);
  fields.optional("fingerprints", job.fingerprints);
  if (job.steps < 0) fields.complain("steps", std::to_string(job.steps), "must not be negative", "");
  if (job.warmup < 0 || job.warmup > job.steps)
    fields.complain("warmup", std::to_string(job.warmup), "must be within the steps", "");
  if (job.precision != "fp32" && job.precision != "fp64")
    fields.complain("precision", job.precision, "must be fp32 or fp64", "");
  if (job.threads < 1) fields.complain("threads", std::to_string(job.threads), "must be at least 1", "");
}

void read_eval(const Fields& fields, EvalRule& rule) {
  fields.optional("metric", rule.metric);
  fields.optional("every", rule.every);
  fields.optional("batch", rule.batch);
}

void read_checkpoints(const Fields& fields, const Job& job, Checkpoints& out) {
  fields.optional("every", out.every);
  fields.optional("resume", out.resume);
  fields.optional("done", out.done);
  if (out.every < 0) fields.complain("every", std::to_string(out.every), "must not be negative", "");
  if (out.done < 0 || out.done > job.steps - job.warmup)
    fields.complain("done", std::to_string(out.done), "must be within the steps, before the warm-up", "");
  if (out.resume.empty() != (out.done == 0))
    fields.complain("resume", out.resume, "a file and the steps done belong together", "give both, or neither");
}

void check_contract(const Fields& fields, int contract) {
  if (contract == kContract) return;
  fields.complain("contract", std::to_string(contract), fmt::format("must be {}", kContract),
                  "use a worker and a harness of the same major version of the contract");
}

}  // namespace

std::string_view mode_name(Mode mode) { return kModes[static_cast<size_t>(mode)]; }

std::string job_text(const Job& job) {
  json out = {{"contract", job.contract},
              {"launch_id", job.launch_id},
              {"workload", embedded(job.workload, "workload")},
              {"strategy", {{"text", job.strategy}, {"parsed", embedded(job.strategy_parsed, "strategy.parsed")}}},
              {"fabric", job.fabric},
              {"ranks", ranks_json(job.ranks)},
              {"init", job.init},
              {"data", job.data},
              {"order", job.order},
              {"steps", job.steps},
              {"warmup", job.warmup},
              {"seed", job.seed},
              {"precision", job.precision},
              {"threads", job.threads},
              {"mode", mode_name(job.mode)},
              {"fingerprints", job.fingerprints},
              {"eval", {{"metric", job.eval.metric}, {"every", job.eval.every}, {"batch", job.eval.batch}}},
              {"options", embedded(job.options, "options")}};
  if (job.checkpoints != Checkpoints()) {
    out["checkpoints"] = {
        {"every", job.checkpoints.every}, {"resume", job.checkpoints.resume}, {"done", job.checkpoints.done}};
  }
  return out.dump(1) + "\n";
}

Job parse_job(std::string_view text, const std::filesystem::path& file) {
  const json document = parse_document(text, file);
  const Fields fields(document, file, "");
  Job job;
  fields.required("contract", job.contract);
  check_contract(fields, job.contract);
  fields.required("launch_id", job.launch_id);
  job.workload = fields.text_of("workload", "{}");
  if (!fields.has("strategy")) fields.complain("strategy", "", "is required", "add it");
  fields.object("strategy").required("text", job.strategy);
  job.strategy_parsed = fields.object("strategy").text_of("parsed", "{}");
  fields.optional("fabric", job.fabric);
  job.ranks.clear();
  for (const Fields& rank : fields.objects("ranks")) job.ranks.push_back(read_rank(rank));
  if (job.ranks.empty()) fields.complain("ranks", "", "must have at least one rank", "");
  fields.optional("init", job.init);
  fields.optional("data", job.data);
  fields.optional("order", job.order);
  read_counts(fields, job);
  job.mode = read_mode(fields);
  if (fields.has("eval")) read_eval(fields.object("eval"), job.eval);
  if (fields.has("checkpoints")) read_checkpoints(fields.object("checkpoints"), job, job.checkpoints);
  job.options = fields.text_of("options", "{}");
  job.folder = file.parent_path();
  return job;
}

void write_job(const Job& job) {
  const std::filesystem::path file = job.folder / "job.json";
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << job_text(job);
  out.close();
  if (!out) throw Failure("setup", fmt::format("{}: cannot be written; check the folder and the disk", file.string()));
}

Job read_job(const std::filesystem::path& file) { return parse_job(read_text(file), file); }

}  // namespace lockstep::contract
