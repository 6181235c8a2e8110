#include "http/target.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <boost/beast/core/string.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/parse_query.hpp>
#include <boost/url/url_view.hpp>

namespace quote_lab::http {
namespace {

namespace urls = boost::urls;

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// What Boost.URL takes in a query as it stands.
bool is_query_char(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  return std::string_view("-._~!$&'()*+,;=:@/?").find(c) != std::string_view::npos;
}

/// Browsers, shells and people send more than RFC 3986 allows: quotes, braces, a lone `%`. Each is meant
/// literally, so it is written as the escape that it should have been.
std::string escape_what_is_not_allowed(std::string_view query) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string escaped;
  escaped.reserve(query.size() + 16);
  for (std::size_t i = 0; i < query.size(); ++i) {
    const char c = query[i];
    const bool whole_escape =
        c == '%' && i + 2 < query.size() && is_hex(query[i + 1]) && is_hex(query[i + 2]);
    if (whole_escape || is_query_char(c)) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped += '%';
      escaped += digits[byte >> 4];
      escaped += digits[byte & 0x0f];
    }
  }
  return escaped;
}

std::vector<query_param> parse_query(std::string_view raw) {
  std::vector<query_param> params;
  if (raw.empty()) return params;
  const std::string escaped = escape_what_is_not_allowed(raw);
  const auto parsed = urls::parse_query(escaped);
  if (!parsed) return params;  // cannot be: all that it refuses is escaped above
  urls::encoding_opts form;
  form.space_as_plus = true;
  params.reserve(parsed->size());
  for (const auto& param : *parsed) {
    if (param.key.empty() && !param.has_value) continue;  // nothing between two `&`
    params.push_back({param.key.decode(form), param.value.decode(form)});
  }
  return params;
}

/// `.`, `..` and their spellings with %2e: 1 and 2; 0 for any other segment.
int dots_of(std::string_view segment) {
  int dots = 0;
  while (!segment.empty() && dots <= 2) {
    if (segment.front() == '.') {
      segment.remove_prefix(1);
    } else if (boost::beast::iequals(segment.substr(0, 3), "%2e")) {
      segment.remove_prefix(3);
    } else {
      return 0;
    }
    ++dots;
  }
  return dots <= 2 ? dots : 0;
}

/// RFC 3986, 5.2.4. Empty segments stay: `//x` is a path like any other and names no host.
std::string remove_dot_segments(std::string_view path) {
  std::string out;
  out.reserve(path.size());
  while (!path.empty()) {
    path.remove_prefix(1);  // the '/'
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    const int dots = dots_of(segment);
    if (dots == 2) out.erase(std::min(out.rfind('/'), out.size()));
    if (dots == 0) {
      out += '/';
      out += segment;
    } else if (path.empty()) {
      out += '/';
    }
  }
  return out;
}

/// `http://host/path?query` without its scheme and host: what is left, or nothing if it is no such thing.
std::optional<std::string_view> strip_authority(std::string_view raw) {
  for (const std::string_view scheme : {std::string_view("http://"), std::string_view("https://")}) {
    if (!boost::beast::iequals(raw.substr(0, scheme.size()), scheme)) continue;
    const auto rest = raw.substr(scheme.size());
    const auto authority = rest.substr(0, rest.find_first_of("/?"));
    if (authority.empty() || !urls::parse_authority(authority)) return std::nullopt;
    return rest.substr(authority.size());
  }
  return std::nullopt;
}

std::optional<std::string> find_problem(std::string_view raw) {
  if (raw.empty()) return "The request target is empty; it must begin with a slash.";
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80)
      return "The request target holds a byte outside ASCII; such characters must be percent-encoded.";
    if (byte <= 0x20 || byte == 0x7f)
      return "The request target holds a blank or a control character; it must be percent-encoded.";
    if (c == '#') return "The request target holds a '#'; a fragment is not sent to a server.";
  }
  return std::nullopt;
}

}  // namespace

std::variant<target, target_problem> parse_target(verb method, std::string_view raw) {
  if (auto problem = find_problem(raw)) return target_problem{std::move(*problem)};
  if (raw == "*") {
    if (method == verb::options) return target{"*", {}};
    return target_problem{"The request target '*' is for OPTIONS only."};
  }
  if (raw.front() != '/') {
    const auto rest = strip_authority(raw);
    if (!rest) return target_problem{"The request target must begin with a slash or be an http:// address."};
    raw = *rest;
  }
  const auto path = raw.substr(0, raw.find('?'));
  const auto query = path.size() < raw.size() ? raw.substr(path.size() + 1) : std::string_view();
  return target{path.empty() ? "/" : remove_dot_segments(path), parse_query(query)};
}

}  // namespace quote_lab::http
