// Message-driven (AxoNN: Singh and Bhatele 2022): a rank runs whichever forward or backward has its input there. The
// list here, 1F1B's, is the initial priority: the order is decided at run time, gradients land in slots by microbatch,
// and the result is exempt from bit identity. With equal stages and nothing late it is 1F1B itself, and so are its
// formulas. A forward waits while the rank holds as many activations as its list would. Not always faster than the
// list: what is there first is not always what others wait for.
#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {

Schedule arrival(const Numbers& n) {
  Schedule out = one_f_one_b(n);
  out.name = "arrival";
  out.order = Order::arrival;
  return out;
}

}  // namespace lockstep::schedule
