#include "web/page.hpp"

#include <algorithm>
#include <array>
#include <cassert>
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
  // In one pass, so that a value which looks like a place stays what it is.
  std::string text;
  std::string_view rest = page_template;
  for (auto open = rest.find("{{"); open != std::string_view::npos; open = rest.find("{{")) {
    text += rest.substr(0, open);
    rest.remove_prefix(open);
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& each) { return rest.starts_with(each.first); });
    assert(found != values.end());
    text += found->second;
    rest.remove_prefix(found->first.size());
  }
  text += rest;
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
