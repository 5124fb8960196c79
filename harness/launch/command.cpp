#include "harness/launch/command.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "adapters/contract/event_writer.h"
#include "adapters/contract/failure.h"
#include "harness/launch/capture.h"

namespace lockstep::launch {
namespace {

using contract::LaunchKind;
using contract::LaunchRecipe;

// Makes the first argument an absolute path.
std::vector<std::string> found(std::vector<std::string> arguments) {
  const std::string path = find_executable(arguments[0]);
  if (path.empty()) throw Failure("unsupported", arguments[0] + ": not found in PATH; install it");
  arguments[0] = path;
  return arguments;
}

using Variables = std::map<std::string, std::string>;

// Every library that makes threads of its own is told the same number.
Variables thread_variables(int threads) {
  Variables variables;
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"}) {
    variables[name] = std::to_string(threads);
  }
  return variables;
}

// What torch.distributed and others read; a recipe's own word goes before.
Variables with_rank(Variables variables, int rank, int world, int port) {
  variables.insert({{"RANK", std::to_string(rank)},
                    {"LOCAL_RANK", std::to_string(rank)},
                    {"WORLD_SIZE", std::to_string(world)},
                    {"LOCAL_WORLD_SIZE", std::to_string(world)},
                    {"MASTER_ADDR", "127.0.0.1"},
                    {"MASTER_PORT", std::to_string(port)},
                    {"GLOO_SOCKET_IFNAME", "lo"}});
  return variables;
}

std::vector<std::string> list(const Variables& variables) {
  std::vector<std::string> out;
  for (const auto& [key, value] : variables) out.push_back(key + "=" + value);
  return out;
}

supervisor::Command command_of(const std::string& name, std::vector<std::string> arguments,
                               std::vector<std::string> environment) {
  return {name, found(std::move(arguments)), std::move(environment), "stdout." + name + ".log",
          "stderr." + name + ".log"};
}

// Puts the redirection of each rank's output before the worker in a launcher's command line.
std::vector<std::string> redirected(std::vector<std::string> command, const Adapter& adapter,
                                    const places::Places& places) {
  const std::string worker = adapter.python.empty() ? adapter.worker.string() : adapter.python;
  const auto at = std::find(command.begin(), command.end(), worker);
  if (at == command.end()) return command;
  const std::vector<std::string> prefix{(places.bin / "lockstep-supervisor").string(), "redirect"};
  command.insert(at, prefix.begin(), prefix.end());
  return command;
}

}  // namespace

int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(descriptor);
  if (!bound) throw Failure("start_failed", "no free TCP port on the loopback interface");
  return ntohs(address.sin_port);
}

supervisor::Order make_order(const Adapter& adapter, const contract::Job& job, const places::Places& places,
                             double patience) {
  const LaunchRecipe* recipe = adapter.manifest.launch_on(job.fabric.substr(0, job.fabric.find(':')));
  if (recipe == nullptr) throw Failure("unsupported", adapter.manifest.name + " has no way to launch on " + job.fabric);
  const int world = job.world();
  const int port = free_port();
  std::map<std::string, std::string> values = template_values(adapter);
  values["job"] = "job.json";
  values["folder"] = std::filesystem::absolute(job.folder).string();
  values["ranks"] = std::to_string(world), values["rank"] = "0";
  values["port"] = std::to_string(port), values["threads"] = std::to_string(job.threads);

  supervisor::Order order{job.launch_id, {}, {}, {}};
  const contract::Timeouts& t = adapter.manifest.timeouts;
  order.deadlines = {t.start * patience, t.prepare * patience, t.idle * patience, t.step * patience, t.stop * patience, 0};
  for (int rank = 0; rank < world; ++rank) order.event_files.push_back(contract::event_file_name(rank));
  const int processes = recipe->kind == LaunchKind::kRanksByEnv ? world : 1;
  for (int rank = 0; rank < processes; ++rank) {
    values["rank"] = std::to_string(rank);
    std::vector<std::string> command = contract::expand_command(recipe->command, values);
    Variables environment = thread_variables(job.threads);
    for (const auto& [key, value] : recipe->environment) {
      environment[key] = contract::expand_command({value}, values)[0];
    }
    if (recipe->kind == LaunchKind::kRanksByEnv) environment = with_rank(environment, rank, world, port);
    if (recipe->kind == LaunchKind::kMpirun) {
      order.commands.push_back(
          command_of("mpirun", redirected(std::move(command), adapter, places), list(environment)));
    } else {
      order.commands.push_back(command_of(fmt::format("rank{}", rank), std::move(command), list(environment)));
    }
  }
  return order;
}

}  // namespace lockstep::launch
