#include "harness/launch/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include "adapters/contract/failure.h"
#include "harness/suite/check.h"
#include "reference_trainer/graph/build.h"
#include "reference_trainer/plan/text/system_text.h"
#include "results/store/id.h"
#include "workloads/data/safetensors.h"

namespace lockstep::launch {
namespace fs = std::filesystem;
namespace {

constexpr size_t kNameLength = 16;

fs::path kept_as(const std::string& name, const fs::path& shared) {
  return shared / fmt::format("checkpoint-{}.safetensors", name);
}

int64_t whole_number(const std::string& text) {
  int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// What one workload asks of a checkpoint, one small check a rule.
class Checked {
 public:
  Checked(const fs::path& path, const workloads::Workload& workload)
      : name_(path.filename().string()), file_(path), workload_(workload) {}

  int64_t steps_done() const {
    const int64_t done = said("steps_done", "it is no checkpoint of the reference trainer");
    if (done >= workload_.steps) {
      refuse(fmt::format("it has {} of {} steps behind it, so none is left; take an earlier checkpoint, or steps={}",
                         done, workload_.steps, 2 * done));
    }
    return done;
  }

  void check_recipe() const {
    const int64_t arrays = said("optimizer_arrays", "it does not say what its optimizer kept");
    const int wanted = workloads::optimizer_arrays(workload_.recipe.optimizer);
    if (arrays != wanted) {
      refuse(fmt::format("its optimizer kept {} arrays, that of this recipe keeps {}; take the optimizer that wrote it",
                         arrays, wanted));
    }
    const auto seed = file_.metadata().find("lockstep.seed");
    const std::string own = std::to_string(workload_.recipe.seed);
    if (seed != file_.metadata().end() && seed->second != own)
      refuse(fmt::format("it was saved with seed {0}, and this run has {1}; write seed={0}", seed->second, own));
  }

  void check_tensors() const {
    const graph::Graph graph = graph::build(workload_.json());
    for (const graph::TensorId id : graph.parameters) check_tensor(graph.tensor(id), graph.tensor(id).name);
    for (const graph::Tensor& tensor : graph.tensors) {
      if (tensor.role == graph::Role::state) check_tensor(tensor, "state." + tensor.name);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Failure("unsupported", fmt::format("{} cannot go on from {}: {}", workload_.text, name_, why));
  }

  int64_t said(const std::string& key, const char* otherwise) const {
    const auto found = file_.metadata().find("lockstep." + key);
    const int64_t value = found == file_.metadata().end() ? -1 : whole_number(found->second);
    if (value < 0) refuse(otherwise);
    return value;
  }

  void check_tensor(const graph::Tensor& tensor, const std::string& name) const {
    std::vector<int64_t> sizes;
    for (const graph::Extent& extent : tensor.shape) sizes.push_back(extent.size);
    const workloads::TensorView* kept = file_.find(name);
    if (!kept) refuse(fmt::format("it has no {}: it is of another model", name));
    if (kept->shape != sizes) {
      refuse(fmt::format("its {} is [{}], this model's is [{}]: it is of another model", name,
                         fmt::join(kept->shape, ", "), fmt::join(sizes, ", ")));
    }
    const bool doubles = workload_.recipe.precision == workloads::Precision::fp64;
    if ((kept->dtype == workloads::DType::F64) != doubles) {
      refuse(fmt::format("its numbers are {}, and this run has precision={}", workloads::name_of(kept->dtype),
                         doubles ? "fp64" : "fp32"));
    }
  }

  std::string name_;
  workloads::SafetensorsFile file_;
  const workloads::Workload& workload_;
};

}  // namespace

std::string name_of_checkpoint(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in || bytes.empty()) {
    lockstep::refuse({"", "--from-checkpoint", file.string(), "cannot be read",
                      "name a file that --checkpoint-every wrote: lockstep-runs/14/007/checkpoint-50.safetensors"});
  }
  return store::content_hash(bytes).substr(0, kNameLength);
}

std::string keep_checkpoint(const fs::path& file, const fs::path& shared) {
  std::string name = name_of_checkpoint(file);
  const fs::path kept = kept_as(name, shared);
  if (fs::exists(kept)) return name;
  const fs::path unfinished = fmt::format("{}.{}", kept.string(), store::make_id());
  std::error_code failed;
  fs::create_directories(shared, failed);
  if (!failed) fs::copy_file(file, unfinished, failed);
  if (!failed) fs::rename(unfinished, kept, failed);
  if (failed) throw Failure("setup", fmt::format("{}: cannot be written: {}", kept.string(), failed.message()));
  return name;
}

int64_t steps_done(const fs::path& file, const workloads::Workload& workload) {
  const Checked checked(file, workload);
  checked.check_recipe();
  checked.check_tensors();
  return checked.steps_done();
}

contract::Checkpoints checkpoints_of(const std::string& system, contract::Mode mode,
                                     const workloads::Workload& workload, const fs::path& shared) {
  contract::Checkpoints out;
  if (mode == contract::Mode::kVerify) return out;
  const text::SystemText parsed = text::parse_system(system);
  if (const std::string* every = parsed.find(suite::kCheckpointEvery)) out.every = whole_number(*every);
  const std::string* name = parsed.find(suite::kResume);
  if (!name) return out;
  const fs::path file = kept_as(*name, shared);
  if (!fs::exists(file)) {
    throw Failure("setup", fmt::format("resume={}: {} is gone; name the checkpoint again with --from-checkpoint", *name,
                                       file.string()));
  }
  out.resume = file.string(), out.done = steps_done(file, workload);
  return out;
}

}  // namespace lockstep::launch
