// The unreliable provider, as the flows see it. Kinds of provider implement it; the flows know no more than
// this.
#pragma once

#include <cstdint>

#include <boost/asio/awaitable.hpp>

#include "quote/mode.hpp"
#include "quote/scenario.hpp"

namespace quote_lab::provider {

struct provider_call {
  quote::mode mode = quote::mode::legacy;
  quote::scenario scenario = quote::scenario::ok;
  std::uint32_t attempt = 1;
};

/// cancelled: whoever asked has stopped waiting; it says nothing about the provider.
enum class provider_reply { success, failure, cancelled };

class provider {
 public:
  virtual ~provider() = default;

  /// Asks for a quote. Honours terminal cancellation at once: then the reply is `cancelled` and nothing of
  /// the call is left. Does not throw for what a provider may do. The provider must outlive the call.
  virtual boost::asio::awaitable<provider_reply> call(provider_call what) = 0;

  /// Calls begun by that mode and not yet ended.
  virtual std::uint32_t in_flight(quote::mode mode) const = 0;
};

}  // namespace quote_lab::provider
