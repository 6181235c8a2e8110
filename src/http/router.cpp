#include "http/router.hpp"

#include <algorithm>
#include <utility>

namespace quote_lab::http {
namespace {

bool has(const std::vector<verb>& methods, verb method) {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

void add(std::vector<verb>& methods, verb method) {
  if (!has(methods, method)) methods.push_back(method);
}

/// Each method once, HEAD after the GET that brings it, OPTIONS last.
std::string allow_of(const std::vector<verb>& methods) {
  std::vector<verb> allowed;
  for (const verb method : methods) {
    add(allowed, method);
    if (method == verb::get) add(allowed, verb::head);
  }
  add(allowed, verb::options);
  std::string text;
  for (const verb method : allowed) {
    const auto name = boost::beast::http::to_string(method);
    if (!text.empty()) text += ", ";
    text.append(name.data(), name.size());
  }
  return text;
}

bool allows(const route& one, verb method) {
  return has(one.methods, method) || (method == verb::head && has(one.methods, verb::get));
}

}  // namespace

router::router(std::vector<route> routes, std::string prefix)
    : routes_(std::move(routes)), prefix_(std::move(prefix)) {}

std::string_view router::without_prefix(std::string_view path) const {
  if (prefix_.empty() || !path.starts_with(prefix_)) return path;
  const auto rest = path.substr(prefix_.size());
  if (rest.empty()) return "/";
  return rest.front() == '/' ? rest : path;
}

lookup router::find(verb method, std::string_view path) const {
  path = without_prefix(path);
  if (path == "*") {
    std::vector<verb> all;
    for (const route& one : routes_)
      for (const verb each : one.methods) add(all, each);
    return {path, options_asked{allow_of(all)}};
  }
  const auto it =
      std::find_if(routes_.begin(), routes_.end(), [path](const route& one) { return one.path == path; });
  if (it == routes_.end()) return {path, not_found{}};
  if (allows(*it, method)) return {path, found{&*it}};
  if (method == verb::options) return {path, options_asked{allow_of(it->methods)}};
  return {path, method_not_allowed{allow_of(it->methods)}};
}

}  // namespace quote_lab::http
