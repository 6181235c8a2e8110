#include "storage/load.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "quote/wall_time.hpp"

namespace quote_lab::storage {
namespace {

std::string contents_of(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) throw std::runtime_error("it is no regular file");
  if (std::filesystem::file_size(path) > largest_state_file_bytes)
    throw std::runtime_error("it is over 16 MiB");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::system_error(errno, std::system_category(), "cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A name that is free: two bad files in one millisecond must not meet.
std::filesystem::path name_aside(const std::filesystem::path& path) {
  const auto stem =
      path.string() + ".unreadable-" + std::to_string(quote::epoch_ms(std::chrono::system_clock::now()));
  std::filesystem::path name = stem;
  for (int n = 2; std::filesystem::exists(name); ++n) name = stem + "-" + std::to_string(n);
  return name;
}

/// Our files are flat and their objects small. Deeper or larger ones are refused while they are read: nesting
/// costs memory, and a member costs a look at each one before it.
class shape_check {
 public:
  bool operator()(int depth, nlohmann::ordered_json::parse_event_t event, nlohmann::ordered_json&) {
    using parse_event = nlohmann::ordered_json::parse_event_t;
    if (depth > deepest) throw std::runtime_error("it is nested too deep");
    if (event == parse_event::object_start) members_.push_back(0);
    if (event == parse_event::object_end) members_.pop_back();
    if (event == parse_event::key && ++members_.back() > most_members) {
      throw std::runtime_error("it has an object of too many members");
    }
    return true;
  }

 private:
  static constexpr int deepest = 32;
  static constexpr int most_members = 4096;
  std::vector<int> members_;
};

}  // namespace

std::optional<moved_aside> load_json(const std::filesystem::path& path,
                                     const std::function<void(const nlohmann::ordered_json&)>& read) {
  if (!std::filesystem::exists(std::filesystem::symlink_status(path))) return std::nullopt;
  try {
    read(nlohmann::ordered_json::parse(contents_of(path), shape_check()));
    return std::nullopt;
  } catch (const std::system_error&) {
    throw;
  } catch (const std::exception& problem) {
    moved_aside result{path, name_aside(path), problem.what()};
    std::filesystem::rename(result.from, result.to);
    return result;
  }
}

}  // namespace quote_lab::storage
