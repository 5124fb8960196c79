#include "reference_trainer/kernels/vector/isa.h"
#include "reference_trainer/kernels/vector/vector_code.h"

#define LOCKSTEP_TEXT_OF(x) #x
#define LOCKSTEP_TEXT(x) LOCKSTEP_TEXT_OF(x)

namespace lockstep::kernels::LOCKSTEP_ISA {

UpdateCode<float> update32();
UpdateCode<double> update64();
GemmCode gemm_code();
PointwiseCode pointwise_code();
RowsCode rows_code();
AttentionCode attention_code();
LstmCode lstm_code();
PoolCode pool_code();
CastCode cast_code();

VectorCode table() {
  return {.isa = LOCKSTEP_TEXT(LOCKSTEP_ISA),
          .update32 = update32(),
          .update64 = update64(),
          .gemm = gemm_code(),
          .pointwise = pointwise_code(),
          .rows = rows_code(),
          .attention = attention_code(),
          .lstm = lstm_code(),
          .pool = pool_code(),
          .cast = cast_code()};
}

}  // namespace lockstep::kernels::LOCKSTEP_ISA
