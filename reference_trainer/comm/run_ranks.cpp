#include "reference_trainer/comm/run_ranks.h"

#include <exception>
#include <thread>
#include <vector>

#include "reference_trainer/comm/threads_transport.h"

namespace lockstep::comm {
namespace {

/// Runs one rank to its end, and returns what it threw.
std::exception_ptr run_rank(Transport& transport, const std::function<void(Transport&)>& fn) {
  try {
    fn(transport);
    return nullptr;
  } catch (const std::exception& error) {
    transport.abort(error.what());
    return std::current_exception();
  } catch (...) {
    transport.abort("an exception that is no std::exception");
    return std::current_exception();
  }
}

}  // namespace

void run_ranks(int n, const std::function<void(Transport&)>& fn) {
  ThreadsWorld world(n);
  std::vector<std::unique_ptr<Transport>> endpoints;
  for (int rank = 0; rank < n; ++rank) endpoints.push_back(world.endpoint(rank));
  std::vector<std::exception_ptr> errors(static_cast<size_t>(n));
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < errors.size(); ++rank) {
    threads.emplace_back([&, rank] { errors[rank] = run_rank(*endpoints[rank], fn); });
  }
  for (std::thread& thread : threads) thread.join();
  if (world.failed_rank() >= 0 && errors[static_cast<size_t>(world.failed_rank())]) {
    std::rethrow_exception(errors[static_cast<size_t>(world.failed_rank())]);
  }
}

}  // namespace lockstep::comm
