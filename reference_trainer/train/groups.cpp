#include "reference_trainer/train/groups.h"

namespace lockstep::train {

comm::Communicator& Groups::over(const std::vector<plan::Axis>& axes) {
  int bits = 0;
  for (plan::Axis axis : axes) bits |= 1 << static_cast<int>(axis);
  const auto found = groups_.find(bits);
  if (found != groups_.end()) return *found->second;
  std::vector<int> members = mesh_.group(all_.rank(), axes);
  if (static_cast<int>(members.size()) == all_.size()) return all_;
  return *groups_.emplace(bits, all_.group(std::move(members), bits)).first->second;
}

void Groups::poll() {
  all_.poll();
  for (const auto& [bits, group] : groups_) group->poll();
}

}  // namespace lockstep::train
