#include "harness/run/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace lockstep::run {
namespace {

sigset_t wanted() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  return set;
}

}  // namespace

Signals::Signals() {
  const sigset_t set = wanted();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Signals::~Signals() {
  interrupted();
  close(descriptor_);
  const sigset_t set = wanted();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

bool Signals::interrupted() {
  signalfd_siginfo info;
  while (read(descriptor_, &info, sizeof info) == sizeof info) interrupted_ = true;
  return interrupted_;
}

}  // namespace lockstep::run
