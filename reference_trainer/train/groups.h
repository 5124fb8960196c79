#pragma once

#include <map>
#include <memory>
#include <vector>

#include "reference_trainer/comm/communicator.h"
#include "reference_trainer/plan/mesh.h"
#include "reference_trainer/plan/plan.h"

namespace lockstep::train {

/// The communicators of a rank: one for each set of mesh axes that something is exchanged over, made when first asked
/// for. All ranks ask for the same sets in the same order.
class Groups {
 public:
  /// `all` spans the mesh and outlives this.
  Groups(comm::Communicator& all, const plan::Mesh& mesh) : all_(all), mesh_(mesh) {}

  comm::Communicator& all() { return all_; }
  /// Of the ranks that differ from this one on these axes only.
  comm::Communicator& over(const std::vector<plan::Axis>& axes);
  /// Of the ranks that keep a bucket's shards together, or of those that keep this rank's shard in other groups.
  comm::Communicator& shards(const plan::Plan& plan, const plan::Bucket& bucket);
  comm::Communicator& replicas(const plan::Plan& plan);
  /// Makes progress on everything in flight.
  void poll();

 private:
  comm::Communicator& of(std::vector<int> members, int id);

  comm::Communicator& all_;
  const plan::Mesh& mesh_;
  std::map<int, std::unique_ptr<comm::Communicator>> groups_;  ///< by id: the bits of their axes, and of what part
};

}  // namespace lockstep::train
