// Reads a JSON file of the lab's at the start. One that cannot be read is moved aside, never written over, so
// that nothing is lost and the lab starts all the same. Called by: app/. Blocks.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace quote_lab::storage {

/// A state file is a few hundred KiB at most; what is above this is not one of ours.
inline constexpr std::uintmax_t largest_state_file_bytes = 16 * 1024 * 1024;

struct moved_aside {
  std::filesystem::path from;
  std::filesystem::path to;
  std::string reason;
};

/// Hands the parsed file to `read`, which throws for what is not right. Gives nothing when the file was read
/// or when there is none; else what was moved aside, and why. Throws std::system_error when a file that
/// cannot be used cannot be moved either, or cannot be opened.
std::optional<moved_aside> load_json(const std::filesystem::path& path,
                                     const std::function<void(const nlohmann::ordered_json&)>& read);

}  // namespace quote_lab::storage
