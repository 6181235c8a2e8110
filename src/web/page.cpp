#include "web/page.hpp"

#include <array>
#include <utility>

namespace quote_lab::web {
namespace {

/// page.html, made into a string at build time.
constexpr std::string_view page_template =
#include "page_html.inc"
    ;

/// Links are relative to the page, so that they work behind a prefix too.
std::string link_list(const std::vector<page_link>& links) {
  std::string list;
  for (const auto& [target, purpose] : links) {
    const auto relative = escape_html("." + target);
    list += "      <li><a href=\"" + relative + "\">" + escape_html(target) + "</a> " + escape_html(purpose) +
            "</li>\n";
  }
  return list;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string page(const page_facts& facts) {
  const std::array<std::pair<std::string_view, std::string>, 4> values{{
      {"{{provider}}", escape_html(facts.provider)},
      {"{{circuit_status}}", escape_html(facts.circuit_status)},
      {"{{consecutive_failures}}", std::to_string(facts.consecutive_failures)},
      {"{{links}}", link_list(facts.links)},
  }};
  std::string text(page_template);
  for (const auto& [place, value] : values) {
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size())) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

std::vector<http::header> security_headers() {
  return {{"Content-Security-Policy",
           "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
           "frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"}};
}

}  // namespace quote_lab::web
