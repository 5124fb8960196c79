#pragma once

#include <cstdint>
#include <dnnl.hpp>
#include <memory>
#include <vector>

namespace lockstep::kernels::onednn {

/// Addresses by buffer, filled in by bind().
using Addresses = std::vector<void*>;

/// A buffer whose address is known when the op runs.
struct Slot {
  std::shared_ptr<const Addresses> addresses;
  int32_t buffer = -1;

  void* get() const { return (*addresses)[static_cast<size_t>(buffer)]; }
  float* real() const { return static_cast<float*>(get()); }
  int32_t* index() const { return static_cast<int32_t*>(get()); }
};

struct Argument {
  int kind;  ///< DNNL_ARG_...
  dnnl::memory::desc format;
  Slot slot;
};

/// A oneDNN primitive with its memory objects: everything is made once, run() only executes.
class Primitive {
 public:
  Primitive(const dnnl::engine& engine, const dnnl::stream& stream, const dnnl::primitive& primitive,
            const std::vector<Argument>& arguments);

  void bind();
  void run() const;

 private:
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::vector<Slot> slots_;
  std::vector<dnnl::memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

}  // namespace lockstep::kernels::onednn
