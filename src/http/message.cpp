#include "http/message.hpp"

#include <boost/beast/core/string.hpp>

namespace quote_lab::http {

std::optional<std::string_view> request::find_header(std::string_view name) const {
  for (const header& field : headers)
    if (boost::beast::iequals(field.name, name)) return field.value;
  return std::nullopt;
}

}  // namespace quote_lab::http
