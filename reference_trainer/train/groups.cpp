#include "reference_trainer/train/groups.h"

namespace lockstep::train {
namespace {

/// Bits above those of axes.
constexpr int kShards = 1 << 8, kReplicas = 1 << 9;

int bits_of(const std::vector<plan::Axis>& axes) {
  int bits = 0;
  for (plan::Axis axis : axes) bits |= 1 << static_cast<int>(axis);
  return bits;
}

}  // namespace

comm::Communicator& Groups::over(const std::vector<plan::Axis>& axes) {
  return of(mesh_.group(all_.rank(), axes), bits_of(axes));
}

comm::Communicator& Groups::shards(const plan::Plan& plan, const plan::Bucket& bucket) {
  if (!plan.has_shard_replicas()) return over(bucket.axes);
  return of(plan.shard_members(bucket), bits_of(bucket.axes) | kShards);
}

comm::Communicator& Groups::replicas(const plan::Plan& plan) { return of(plan.replica_members(), kReplicas); }

comm::Communicator& Groups::of(std::vector<int> members, int id) {
  const auto found = groups_.find(id);
  if (found != groups_.end()) return *found->second;
  if (static_cast<int>(members.size()) == all_.size()) return all_;
  return *groups_.emplace(id, all_.group(std::move(members), id)).first->second;
}

void Groups::poll() {
  all_.poll();
  for (const auto& [id, group] : groups_) group->poll();
}

}  // namespace lockstep::train
