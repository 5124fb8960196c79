#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference_trainer/comm/communicator.h"
#include "reference_trainer/plan/collective/algorithms.h"

/// What every transport must do, as bodies that each rank runs: over threads in one process, and under mpirun. Values
/// are small whole numbers, so sums are exact. A body throws where something is wrong.
namespace lockstep::comm::bodies {

inline void expect(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("wrong: " + what);
}

/// Rank r's element i before an operation.
template <typename T>
T initial(int rank, int64_t i) {
  return static_cast<T>((i * 7 + rank * 13) % 101);
}

template <typename T>
T reduced(int ranks, int64_t i, Reduce reduce) {
  T result = reduce == Reduce::sum ? T{0} : std::numeric_limits<T>::lowest();
  for (int rank = 0; rank < ranks; ++rank) {
    const T value = initial<T>(rank, i);
    result = reduce == Reduce::sum ? result + value : std::max(result, value);
  }
  return result;
}

/// After an all_to_all chunk (r, s) of the p x p ones is rank r's at rank s.
template <typename T>
void expect_column(Communicator& comm, const std::vector<T>& values, const std::string& what) {
  const int p = comm.size();
  for (int from = 0; from < p; ++from) {
    const auto range = collective::chunk_range(static_cast<int64_t>(values.size()), p * p, from * p + comm.rank());
    for (int64_t i = range.begin; i < range.end; ++i)
      expect(values[static_cast<size_t>(i)] == initial<T>(from, i), fmt::format("{}: element {}", what, i));
  }
}

/// Checks elements [range) of one operation's result.
template <typename T>
void expect_result(Communicator& comm, Operation operation, const std::vector<T>& values, Reduce reduce, int root,
                   const std::string& what) {
  const auto n = static_cast<int64_t>(values.size());
  collective::Range range{0, n};
  if (operation == Operation::reduce_scatter) range = collective::chunk_range(n, comm.size(), comm.rank());
  if (operation == Operation::reduce && comm.rank() != root) range = {0, 0};
  if (operation == Operation::all_to_all) return expect_column(comm, values, what);
  for (int64_t i = range.begin; i < range.end; ++i) {
    T wanted = reduced<T>(comm.size(), i, reduce);
    if (operation == Operation::broadcast) wanted = initial<T>(root, i);
    if (operation == Operation::all_gather) {
      int owner = 0;
      while (collective::chunk_range(n, comm.size(), owner).end <= i) ++owner;
      wanted = initial<T>(owner, i);
    }
    const T got = values[static_cast<size_t>(i)];
    expect(got == wanted, fmt::format("{}: element {} is {}, not {}", what, i, got, wanted));
  }
}

template <typename T>
std::vector<T> initial_values(int rank, int64_t n) {
  std::vector<T> values(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(i)] = initial<T>(rank, i);
  return values;
}

template <typename T>
void check_one(Communicator& comm, Operation operation, std::string_view algorithm, int64_t n, Reduce reduce) {
  const int root = operation == Operation::broadcast || operation == Operation::reduce ? comm.size() - 1 : 0;
  std::vector<T> values = initial_values<T>(comm.rank(), n);
  const std::string what = fmt::format("{} {} of {} elements of {} bytes on {} ranks", collective::name(operation),
                                       algorithm, n, sizeof(T), comm.size());
  comm.run(operation, Buffer(std::span(values)), what, reduce, algorithm, root);
  expect_result(comm, operation, values, reduce, root, what);
}

/// Every row of the table, and "auto", at sizes that are empty, tiny, uneven, and beyond each threshold.
inline void all_algorithms(Communicator& comm) {
  constexpr Operation kOperations[] = {Operation::all_reduce, Operation::reduce_scatter, Operation::all_gather,
                                       Operation::broadcast,  Operation::reduce,         Operation::all_to_all};
  std::vector<std::string_view> names = {"auto"};
  for (const auto& row : collective::algorithms()) names.push_back(row.name);
  for (const std::string_view name : names) {
    for (const Operation operation : kOperations) {
      if (name != "auto" && !collective::find_algorithm(name).does(operation)) continue;
      for (const int64_t n : {0, 1, 2, 3, 7, 100, 2048, 2049, 30011}) {
        check_one<float>(comm, operation, name, n, Reduce::sum);
        check_one<double>(comm, operation, name, n, Reduce::max);
      }
      check_one<double>(comm, operation, name, 5000, Reduce::sum);
      check_one<float>(comm, operation, name, 5000, Reduce::max);
    }
  }
}

/// Many small operations of several algorithms under way at once, waited for in another order than they started in.
inline void many_in_flight(Communicator& comm) {
  constexpr std::string_view kAlgorithms[] = {"native", "ring", "tree", "rabenseifner", "direct"};
  std::vector<std::vector<float>> buffers;
  std::vector<Handle> handles;
  for (int64_t i = 0; i < 100; ++i) buffers.push_back(initial_values<float>(comm.rank(), i));
  for (size_t i = 0; i < buffers.size(); ++i) {
    handles.push_back(comm.start(Operation::all_reduce, std::span(buffers[i]), Reduce::sum, kAlgorithms[i % 5]));
  }
  for (size_t i = buffers.size(); i-- > 0;) {
    comm.wait(handles[i], "many in flight");
    expect(comm.complete(handles[i]), "a waited operation is complete");
    expect_result(comm, Operation::all_reduce, buffers[i], Reduce::sum, 0, fmt::format("operation {} in flight", i));
  }
}

/// Sums whose value depends on the order: all ranks must still get the same bits.
inline void same_bits(Communicator& comm) {
  for (const auto& row : collective::algorithms()) {
    if (!row.does(Operation::all_reduce)) continue;
    for (const int64_t n : {5, 1000, 20000}) {
      std::vector<float> values(static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i) {
        values[static_cast<size_t>(i)] =
            1.0F / static_cast<float>(1 + i * (comm.rank() + 1)) + 1e4F * (i % 3 == comm.rank() % 3);
      }
      comm.run(Operation::all_reduce, std::span(values), "same bits", Reduce::sum, row.name);
      std::vector<float> highest = values;
      comm.run(Operation::all_reduce, std::span(highest), "same bits, highest", Reduce::max);
      expect(highest == values, fmt::format("{} of {} elements differs between ranks", row.name, n));
    }
  }
}

inline void control_values(Communicator& comm) {
  expect(comm.reduce_value(comm.rank() + 1, Reduce::sum, "sum") == comm.size() * (comm.size() + 1) / 2, "sum");
  expect(comm.reduce_value(-comm.rank(), Reduce::max, "max") == 0, "max");
  expect(comm.any(comm.rank() == comm.size() - 1, "any"), "any, when one says so");
  expect(!comm.any(false, "any"), "any, when nobody says so");
  for (int i = 0; i < 50; ++i) comm.barrier("barrier");
}

/// Bytes are those of the simulator: each rank of a ring sends 2(p-1)/p N.
inline void counted_bytes(Communicator& comm) {
  const int64_t n = int64_t{comm.size()} * 100;
  std::vector<float> values = initial_values<float>(comm.rank(), n);
  for (const std::string_view algorithm : {"ring", "direct", "native"}) {
    const Counters before = comm.counters();
    comm.run(Operation::all_reduce, std::span(values), "counted", Reduce::sum, algorithm);
    const int64_t wanted = 2 * (comm.size() - 1) * 100 * 4;
    expect(comm.counters().bytes_sent - before.bytes_sent == wanted, fmt::format("bytes of {}", algorithm));
    expect(comm.counters().modelled_bytes - before.modelled_bytes == (algorithm == "native" ? wanted : 0),
           fmt::format("modelled bytes of {}", algorithm));
  }
}

/// The last two ranks as a group of their own, beside the group of all, both under way at once.
inline void subgroup(Communicator& comm) {
  const int p = comm.size();
  std::vector<float> outer = initial_values<float>(comm.rank(), 1000);
  std::vector<float> inner = initial_values<float>(comm.rank() - (p - 2), 777);
  const Handle handle = comm.start(Operation::all_reduce, std::span(outer), Reduce::sum, "ring");
  if (comm.rank() >= p - 2) {
    Communicator pair(comm.transport(), {.id = 1, .members = {p - 2, p - 1}});
    expect(pair.rank() == comm.rank() - (p - 2), "rank in the group");
    const Handle in_pair = pair.start(Operation::all_reduce, std::span(inner), Reduce::sum);
    while (!pair.test(in_pair)) comm.poll();
    expect_result(pair, Operation::all_reduce, inner, Reduce::sum, 0, "pair");
    pair.barrier("pair");
  }
  comm.wait(handle, "all");
  expect_result(comm, Operation::all_reduce, outer, Reduce::sum, 0, "all");
}

/// Rank r sends s + 1 elements to rank s; chunks that it neither sends nor gets are empty with it.
inline void uneven_all_to_all(Communicator& comm) {
  const int p = comm.size(), self = comm.rank();
  std::vector<int64_t> bounds = {0};
  for (int chunk = 0; chunk < p * p; ++chunk) {
    const int from = chunk / p, to = chunk % p;
    bounds.push_back(bounds.back() + (from == self || to == self ? to + 1 : 0));
  }
  std::vector<double> values(static_cast<size_t>(bounds.back()), -1);
  const auto begin = [&](int from, int to) { return values.begin() + bounds[static_cast<size_t>(from * p + to)]; };
  for (int to = 0; to < p; ++to) std::fill_n(begin(self, to), to + 1, 100 * self + to);
  const Counters before = comm.counters();
  comm.wait(comm.start_shards(Operation::all_to_all, std::span(values), bounds), "uneven all_to_all");
  for (int from = 0; from < p; ++from) {
    for (int i = 0; i <= self; ++i)
      expect(*(begin(from, self) + i) == 100 * from + self, fmt::format("from rank {}", from));
  }
  const int64_t wanted = 8 * (p * (p + 1) / 2 - (self + 1));
  expect(comm.counters().bytes_sent - before.bytes_sent == wanted, "bytes of an uneven all_to_all");
}

struct Body {
  std::string_view name;
  void (*run)(Communicator&);
};

/// The one table of bodies: every transport runs all of them.
inline constexpr Body kAll[] = {
    {"AllAlgorithms", all_algorithms},     {"ManyInFlight", many_in_flight}, {"SameBits", same_bits},
    {"ControlValues", control_values},     {"CountedBytes", counted_bytes},  {"Subgroup", subgroup},
    {"UnevenAllToAll", uneven_all_to_all},
};

}  // namespace lockstep::comm::bodies
