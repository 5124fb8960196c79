#include "reference_trainer/kernels/onednn/primitive.h"

#include "adapters/contract/invariant.h"

namespace lockstep::kernels::onednn {

Primitive::Primitive(const dnnl::engine& engine, const dnnl::stream& stream, const dnnl::primitive& primitive,
                     const std::vector<Argument>& arguments)
    : stream_(stream), primitive_(primitive) {
  for (const Argument& argument : arguments) {
    slots_.push_back(argument.slot);
    memories_.emplace_back(argument.format, engine, nullptr);
    arguments_.push_back({argument.kind, memories_.back().get()});
  }
}

void Primitive::bind() {
  for (size_t i = 0; i < memories_.size(); ++i) memories_[i].set_data_handle(slots_[i].get());
}

void Primitive::run() const {
  const dnnl_status_t status =
      dnnl_primitive_execute(primitive_.get(), stream_.get(), static_cast<int>(arguments_.size()), arguments_.data());
  LOCKSTEP_INVARIANT(status == dnnl_success, "oneDNN status {}", static_cast<int>(status));
}

}  // namespace lockstep::kernels::onednn
