#include "reference_trainer/kernels/vector/vector_code.h"

namespace lockstep::kernels {

namespace baseline {
VectorCode table();
}
namespace v3 {
VectorCode table();
}

const VectorCode& vector_code() {
#ifdef LOCKSTEP_VECTOR_V3
  static const VectorCode code =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? v3::table() : baseline::table();
#else
  static const VectorCode code = baseline::table();
#endif
  return code;
}

}  // namespace lockstep::kernels
