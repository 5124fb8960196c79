#include "reference_trainer/kernels/vector/isa.h"
#include "reference_trainer/kernels/vector/vector_code.h"

#define LOCKSTEP_TEXT_OF(x) #x
#define LOCKSTEP_TEXT(x) LOCKSTEP_TEXT_OF(x)

namespace lockstep::kernels::LOCKSTEP_ISA {

UpdateCode<float> update32();
UpdateCode<double> update64();

VectorCode table() { return {.isa = LOCKSTEP_TEXT(LOCKSTEP_ISA), .update32 = update32(), .update64 = update64()}; }

}  // namespace lockstep::kernels::LOCKSTEP_ISA
