#include "storage/json_members.hpp"

#include <cmath>

namespace quote_lab::storage {
namespace {

const json nothing = nullptr;
const json no_elements = json::array();

[[noreturn]] void refuse(std::string_view name, std::string_view wanted, const json& got) {
  throw unreadable("'" + std::string(name) + "' should be " + std::string(wanted) + ", not " +
                   got.type_name());
}

}  // namespace

const json& member(const json& object, std::string_view name) {
  if (!object.is_object()) throw unreadable(std::string("an object was expected, not ") + object.type_name());
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

const json& object_member(const json& object, std::string_view name) {
  const auto& value = member(object, name);
  if (!value.is_object()) refuse(name, "an object", value);
  return value;
}

const json& array_member(const json& object, std::string_view name) {
  const auto& value = member(object, name);
  if (value.is_null()) return no_elements;
  if (!value.is_array()) refuse(name, "an array", value);
  return value;
}

double number_member(const json& object, std::string_view name, double otherwise) {
  const auto& value = member(object, name);
  if (value.is_null()) return otherwise;
  if (!value.is_number()) refuse(name, "a number", value);
  const auto number = value.get<double>();
  if (!std::isfinite(number)) throw unreadable("'" + std::string(name) + "' is out of range");
  return number;
}

std::uint64_t count_member(const json& object, std::string_view name, std::uint64_t otherwise) {
  // 2^53: above it a double, which is what a JSON number is to the other labs, is not exact.
  constexpr double largest = 9007199254740992.0;
  const auto number = number_member(object, name, static_cast<double>(otherwise));
  if (number < 0 || number > largest || std::floor(number) != number) {
    throw unreadable("'" + std::string(name) + "' should be a whole number from 0 up");
  }
  return static_cast<std::uint64_t>(number);
}

std::uint32_t small_count_member(const json& object, std::string_view name, std::uint32_t otherwise) {
  const auto count = count_member(object, name, otherwise);
  if (count > INT32_MAX) throw unreadable("'" + std::string(name) + "' is out of range");
  return static_cast<std::uint32_t>(count);
}

bool bool_member(const json& object, std::string_view name, bool otherwise) {
  const auto& value = member(object, name);
  if (value.is_null()) return otherwise;
  if (!value.is_boolean()) refuse(name, "true or false", value);
  return value.get<bool>();
}

std::string string_member(const json& object, std::string_view name, std::string otherwise) {
  const auto& value = member(object, name);
  if (value.is_null()) return otherwise;
  if (!value.is_string()) refuse(name, "a string", value);
  return value.get<std::string>();
}

std::optional<quote::wall_time> time_member(const json& object, std::string_view name) {
  const auto text = string_member(object, name);
  if (text.empty()) return std::nullopt;
  const auto time = quote::from_iso8601(text);
  if (!time) throw unreadable("'" + std::string(name) + "' should be a time like 2026-11-30T15:44:01.930Z");
  return time;
}

}  // namespace quote_lab::storage
