// Writes a file so that whoever reads it finds the old bytes or the new ones, whole, whatever happens in
// between: a temporary file beside it, fsync, rename, fsync of the folder. Blocks; called on the writer's
// thread and at the start.
#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>

namespace quote_lab::storage {

/// Nothing else may write the same path at the same time: the temporary file's name is fixed, so that one
/// left behind by a crash is written over by the next try.
std::error_code write_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace quote_lab::storage
