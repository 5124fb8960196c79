#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "adapters/contract/failure.h"
#include "harness/cli/command.h"

namespace lockstep::cli {
namespace {

template <class T>
T parsed(const std::string& name, const std::string& text, T low, T high) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || !(value >= low && value <= high)) {
    refuse({"", "--" + name, text, fmt::format("expected a number from {} to {}", low, high), ""});
  }
  return value;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

}  // namespace

std::string Arguments::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values.find(name);
  return found == values.end() || found->second.empty() ? otherwise : found->second.front();
}

std::vector<std::string> Arguments::list(const std::string& name) const {
  const auto found = values.find(name);
  return found == values.end() ? std::vector<std::string>{} : found->second;
}

int64_t Arguments::integer(const std::string& name, int64_t otherwise, int64_t low, int64_t high) const {
  return has(name) ? parsed<int64_t>(name, text(name), low, high) : otherwise;
}

double Arguments::number(const std::string& name, double otherwise, double low, double high) const {
  return has(name) ? parsed<double>(name, text(name), low, high) : otherwise;
}

Terminal look_at_terminal() {
  Terminal terminal;
  const char* term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  terminal.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  terminal.err_is_terminal = isatty(STDERR_FILENO) == 1 && !dumb;
  terminal.colour = (terminal.out_is_terminal && !dumb && !is_set("NO_COLOR")) || is_set("CLICOLOR_FORCE");
  winsize size{};
  if (terminal.err_is_terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.width = size.ws_col;
  }
  return terminal;
}

void Context::print(std::string_view text) const {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void Context::progress(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), stderr); }

store::Store Context::open_store(store::OpenMode mode) const {
  if (mode != store::OpenMode::create && !std::filesystem::exists(store)) {
    refuse({store.string(), "", "", "there is no store", "lockstep run makes one; name another with --store FILE"});
  }
  return store::Store::open(store.string(), mode);
}

}  // namespace lockstep::cli
