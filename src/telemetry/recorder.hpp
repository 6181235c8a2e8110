// Counts. Each request and each quote that ends comes by here once; nothing else is kept of them.
// Called by: api/ (to count, to show), app/ (to save and restore). One thread.
#pragma once

#include <functional>
#include <string_view>

#include "telemetry/state.hpp"

namespace quote_lab::telemetry {

class recorder {
 public:
  recorder(retention keep, std::function<quote::wall_time()> wall_now);

  /// Hears of each change.
  void listen(std::function<void()> on_change) { on_change_ = std::move(on_change); }

  /// An answered request. `route` is the path of a route or `unmatched_route`; `path` is what came, shown as
  /// the last path and cut to a bound.
  void count_request(std::string_view route, std::string_view path, int status, quote::milliseconds elapsed);

  /// A quote that ended. `record` comes without `at`, which is set here.
  void count_quote(const quote::outcome& outcome, incident record);

  const state& now() const { return state_; }
  void reset();
  void restore(state saved);

 private:
  retention keep_;
  std::function<quote::wall_time()> wall_now_;
  std::function<void()> on_change_ = [] {};
  state state_;
};

}  // namespace quote_lab::telemetry
