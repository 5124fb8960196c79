#pragma once

#include <unistd.h>

#include <chrono>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lockstep::comm {

/// How a waiting rank spends its time between two polls: it spins for some ten microseconds, since a peer on another
/// core usually answers within one; then lets others run; then sleeps. With more ranks than cores it does not spin,
/// since the peer may need this very core.
class Patience {
 public:
  explicit Patience(bool spins) : spins_(spins ? kSpins : 0) {}

  /// Whether ranks that wait may spin. Ask once: counting cores takes microseconds.
  static bool may_spin(int ranks) { return ranks <= sysconf(_SC_NPROCESSORS_ONLN); }

  void pause() {
    ++polls_;
    if (polls_ <= spins_) {
#if defined(__x86_64__)
      _mm_pause();
#endif
    } else if (!sleeping()) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  /// Whether looking at the clock costs nothing that matters any more.
  bool spinning() const { return polls_ <= spins_; }
  bool sleeping() const { return polls_ > spins_ + kYields; }

 private:
  static constexpr int kSpins = 1000;
  static constexpr int kYields = 2000;

  int spins_;
  int polls_ = 0;
};

}  // namespace lockstep::comm
