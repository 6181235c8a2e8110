// Members of a JSON object read from a file that anyone may have written: what is missing (or null) gets the
// default, what has the wrong type or range is refused with the member's name. Called by the codecs of
// storage/.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "quote/wall_time.hpp"

namespace quote_lab::storage {

using json = nlohmann::ordered_json;

/// The file is not what it should be; what() says where and why.
struct unreadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The member, or null when there is none. Refuses what is no object.
const json& member(const json& object, std::string_view name);
/// The member, which must be there and be an object.
const json& object_member(const json& object, std::string_view name);

std::uint64_t count_member(const json& object, std::string_view name, std::uint64_t otherwise = 0);
/// The same for what is kept in 31 bits: a larger one would come back as another number.
std::uint32_t small_count_member(const json& object, std::string_view name, std::uint32_t otherwise = 0);
double number_member(const json& object, std::string_view name, double otherwise = 0);
bool bool_member(const json& object, std::string_view name, bool otherwise = false);
std::string string_member(const json& object, std::string_view name, std::string otherwise = {});
std::optional<quote::wall_time> time_member(const json& object, std::string_view name);
/// The elements of an array; none when it is missing.
const json& array_member(const json& object, std::string_view name);

}  // namespace quote_lab::storage
