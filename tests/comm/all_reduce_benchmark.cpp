// All-reduce of two ranks: ours on the threads transport and, started by mpirun, MPI_Allreduce between two processes,
// in turn in one run, so that both meet the same machine:
//
//   mpirun --bind-to none -n 2 all_reduce_benchmark        (as root also --allow-run-as-root --oversubscribe)
//
// Time is ours an operation; mpi_us is the rival's median, ratio the median of ours / rival over the pairs: below 1 we
// are faster. Without mpirun only ours is measured.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "reference_trainer/comm/communicator.h"
#include "reference_trainer/comm/run_ranks.h"

#ifdef LOCKSTEP_MPI
#include <mpi.h>

#include "reference_trainer/comm/mpi_transport.h"
#endif

namespace lockstep::comm {
namespace {

using Clock = std::chrono::steady_clock;
using Buffers = std::vector<std::vector<float>>;

/// Seconds an operation of MPI_Allreduce on a buffer of so many bytes, so many times.
using Rival = std::function<double(int64_t bytes, int64_t times)>;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }
int64_t warm_up(int64_t times) { return std::min<int64_t>(times, 32); }
/// Some milliseconds a batch.
int64_t times_of(int64_t bytes) { return std::clamp<int64_t>((int64_t{16} << 20) / bytes, 2, 2000); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double ours(Buffers& buffers, const std::string& algorithm, int64_t times) {
  double seconds = 0;
  run_ranks(2, [&](Transport& transport) {
    const Buffer buffer = std::span(buffers[static_cast<size_t>(transport.rank())]);
    Communicator comm(transport, {.algorithm = algorithm});
    for (int64_t i = 0; i < warm_up(times); ++i) comm.run(Operation::all_reduce, buffer, "warm-up");
    comm.barrier("start");
    const Clock::time_point begin = Clock::now();
    for (int64_t i = 0; i < times; ++i) comm.run(Operation::all_reduce, buffer, "timed");
    if (transport.rank() == 0) seconds = seconds_since(begin) / static_cast<double>(times);
  });
  return seconds;
}

void all_reduce(benchmark::State& state, const std::string& algorithm, const Rival& rival) {
  const int64_t bytes = state.range(0);
  const int64_t times = times_of(bytes);
  Buffers buffers(2, std::vector<float>(static_cast<size_t>(bytes) / sizeof(float), 0.0F));
  std::vector<double> mine;
  std::vector<double> theirs;
  std::vector<double> ratios;
  for ([[maybe_unused]] auto _ : state) {
    mine.push_back(ours(buffers, algorithm, times));
    state.SetIterationTime(mine.back());
    if (!rival) continue;
    theirs.push_back(rival(bytes, times));
    ratios.push_back(mine.back() / theirs.back());
  }
  state.counters["median_us"] = median(mine) * 1e6;
  if (!rival) return;
  state.counters["mpi_us"] = median(theirs) * 1e6;
  state.counters["ratio"] = median(ratios);
}

void add_benchmarks(const Rival& rival) {
  for (const char* algorithm : {"native", "direct", "ring"}) {
    const std::string name = std::string("all_reduce/2_threads/") + algorithm;
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { all_reduce(state, algorithm, rival); })
        ->RangeMultiplier(4)
        ->Range(1 << 10, 64 << 20)
        ->Iterations(15)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
}

#ifdef LOCKSTEP_MPI
struct Order {
  int64_t bytes = 0;  ///< 0: the end
  int64_t times = 0;
};

double obey(const Order& order) {
  std::vector<float> values(static_cast<size_t>(order.bytes) / sizeof(float), 0.0F);
  const auto once = [&] {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  };
  for (int64_t i = 0; i < warm_up(order.times); ++i) once();
  MPI_Barrier(MPI_COMM_WORLD);
  const Clock::time_point begin = Clock::now();
  for (int64_t i = 0; i < order.times; ++i) once();
  return seconds_since(begin) / static_cast<double>(order.times);
}

void send_order(Order order) { MPI_Send(&order, sizeof(order), MPI_BYTE, 1, 0, MPI_COMM_WORLD); }

/// The other process sleeps while rank 0 measures threads, and takes part when rank 0 measures MPI.
void serve() {
  for (;;) {
    int there = 0;
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      continue;
    }
    Order order;
    MPI_Recv(&order, sizeof(order), MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (order.bytes == 0) return;
    obey(order);
  }
}

int run_against_mpi() {
  const MpiEnvironment mpi;
  if (mpi.size() != 2) {
    if (mpi.rank() == 0) std::fputs("all_reduce_benchmark: start it with mpirun -n 2\n", stderr);
    return 2;
  }
  if (mpi.rank() == 1) {
    serve();
    return 0;
  }
  add_benchmarks([](int64_t bytes, int64_t times) {
    send_order({bytes, times});
    return obey({bytes, times});
  });
  benchmark::RunSpecifiedBenchmarks();
  send_order({});
  return 0;
}
#endif

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
#ifdef LOCKSTEP_MPI
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr) return run_against_mpi();
#endif
  add_benchmarks({});
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace lockstep::comm

int main(int argc, char** argv) { return lockstep::comm::run(argc, argv); }
