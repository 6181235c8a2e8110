// What the server and the program above it say to each other: a request that was read, a response to be
// written. Plain data; nothing here knows a socket. Called by: http/ itself and api/.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/verb.hpp>

namespace quote_lab::http {

using verb = boost::beast::http::verb;
using status = boost::beast::http::status;

/// A field of a request or a response. Names compare without regard to case.
struct header {
  std::string name;
  std::string value;
};

/// A key and a value of the query, decoded. A key without `=` has an empty value.
struct query_param {
  std::string key;
  std::string value;
};

/// A request whose head and body were read and found sound.
struct request {
  verb method = verb::get;
  std::string path;  ///< dot segments removed, query left out, prefix not yet taken off; starts with '/'
  std::vector<query_param> query;  ///< in the order sent
  std::vector<header> headers;     ///< in the order sent
  std::string body;

  /// The value of the first header of that name, or nothing.
  std::optional<std::string_view> find_header(std::string_view name) const;
};

struct response {
  status code = status::ok;
  std::string content_type;
  std::string body;  ///< left out of the answer to HEAD, though its length is told; none for 204
  std::vector<header> headers;
  bool close = false;  ///< close the connection after this answer
};

/// An answer that is ready, or work that ends in one. Work is cancelled (terminal) when the client leaves and
/// when the drain time is over; it must then still end in a response, which a client that closed only its
/// half can read.
using answer = std::variant<response, boost::asio::awaitable<response>>;

/// Why a request never reached a route, in words for the person who sent it.
struct refusal {
  status code = status::bad_request;
  std::string
      reason;  ///< a label for a counter, snake_case from a fixed set: `head_too_large`, `bad_target`, ...
  std::string message;  ///< one sentence that names what came and what is allowed
  std::string path;     ///< as far as it is known, else empty
};

/// What the server asks of the program above it. All calls come from the server's one thread.
class service {
 public:
  virtual ~service() = default;
  /// Answers a request. Does not throw: a fault inside becomes a 500 there.
  virtual answer handle(request req) = 0;
  /// The answer to what could not be read as a request, or is over a limit. The server adds `Connection:
  /// close` to it, and to a 503 `Retry-After: 1` where the answer has none.
  virtual response refuse(const refusal& why) = 0;
};

}  // namespace quote_lab::http
