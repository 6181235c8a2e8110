// The page that a browser gets at `/`: one static text with a few places to fill in, no script. Called by:
// api/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.hpp"

namespace quote_lab::web {

struct page_link {
  std::string target;  ///< path and query, from `/`
  std::string purpose;
};

struct page_facts {
  std::string provider;
  std::string circuit_status;
  std::uint32_t consecutive_failures = 0;
  std::vector<page_link> links;
};

std::string page(const page_facts& facts);

/// The page has no script, loads nothing, and stands in nobody's frame.
std::vector<http::header> security_headers();

/// For text between tags and in quoted attributes.
std::string escape_html(std::string_view text);

}  // namespace quote_lab::web
