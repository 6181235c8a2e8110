// Which quote-lab this is. The number comes from CMakeLists.txt.
#pragma once

#include <string_view>

namespace quote_lab::app {

inline constexpr std::string_view version = QUOTE_LAB_VERSION;

#if defined(__clang__)
inline constexpr std::string_view compiler = "clang " __clang_version__;
#else
inline constexpr std::string_view compiler = "gcc " __VERSION__;
#endif

}  // namespace quote_lab::app
