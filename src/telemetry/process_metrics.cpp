#include "telemetry/process_metrics.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "telemetry/families.hpp"

namespace quote_lab::telemetry {
namespace {

struct process_numbers {
  double cpu_seconds = 0;
  double virtual_bytes = 0;
  double resident_bytes = 0;
  double start_seconds = 0;  ///< since the epoch
};

std::optional<double> boot_time_s() {
  std::ifstream stat("/proc/stat");
  for (std::string word; stat >> word;) {
    double seconds = 0;
    if (word == "btime" && stat >> seconds) return seconds;
  }
  return std::nullopt;
}

/// proc(5): the fields of /proc/self/stat after the program's name, which may hold blanks and brackets.
std::optional<process_numbers> read_stat() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  std::vector<std::string> fields{std::istream_iterator<std::string>(rest),
                                  std::istream_iterator<std::string>()};
  constexpr std::size_t utime = 11, stime = 12, start = 19, vsize = 20, rss = 21;
  if (fields.size() <= rss) return std::nullopt;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  return process_numbers{.cpu_seconds = (std::stod(fields[utime]) + std::stod(fields[stime])) / ticks,
                         .virtual_bytes = std::stod(fields[vsize]),
                         .resident_bytes = std::stod(fields[rss]) * page,
                         .start_seconds = boot_time_s().value_or(0) + std::stod(fields[start]) / ticks};
}

std::optional<double> open_descriptors() {
  std::error_code error;
  std::filesystem::directory_iterator entries("/proc/self/fd", error);
  if (error) return std::nullopt;
  // The iterator holds one itself.
  return static_cast<double>(std::distance(begin(entries), end(entries)) - 1);
}

}  // namespace

std::vector<prometheus::MetricFamily> process_families() {
  std::vector<prometheus::MetricFamily> families;
  const auto add = [&](family made, double value) {
    families.push_back(std::move(made).add({}, value).take());
  };
  if (const auto numbers = read_stat()) {
    add(counter("process_cpu_seconds_total", "User and system CPU time spent, in seconds."),
        numbers->cpu_seconds);
    add(gauge("process_resident_memory_bytes", "Resident memory size in bytes."), numbers->resident_bytes);
    add(gauge("process_virtual_memory_bytes", "Virtual memory size in bytes."), numbers->virtual_bytes);
    add(gauge("process_start_time_seconds", "When the process started, in seconds since 1970."),
        numbers->start_seconds);
  }
  if (const auto open = open_descriptors()) add(gauge("process_open_fds", "Open file descriptors."), *open);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    add(gauge("process_max_fds", "How many file descriptors may be open."),
        static_cast<double>(limit.rlim_cur));
  }
  return families;
}

}  // namespace quote_lab::telemetry
