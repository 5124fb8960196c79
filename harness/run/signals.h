#pragma once

namespace lockstep::run {

/// Turns SIGINT, SIGTERM and SIGHUP into something to be asked, for as long as it lives, without a global: they are
/// blocked and read from a descriptor (signalfd(2)).
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// True from the first such signal on.
  bool interrupted();
  /// Readable when a signal came.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  bool interrupted_ = false;
};

}  // namespace lockstep::run
