#include <gtest/gtest.h>

#include <resilience/breaker_state.hpp>
#include <resilience/transition.hpp>

namespace resilience {
namespace {

TEST(BreakerState, IsNamedAsInTheEnumeration) {
  EXPECT_EQ(to_string(breaker_state::closed), "closed");
  EXPECT_EQ(to_string(breaker_state::open), "open");
  EXPECT_EQ(to_string(breaker_state::half_open), "half_open");
  EXPECT_EQ(to_string(outcome::success), "success");
  EXPECT_EQ(to_string(outcome::failure), "failure");
}

TEST(TransitionCause, IsNamedAsInTheEnumeration) {
  EXPECT_EQ(to_string(transition_cause::threshold_reached), "threshold_reached");
  EXPECT_EQ(to_string(transition_cause::probe_failed), "probe_failed");
  EXPECT_EQ(to_string(transition_cause::probes_succeeded), "probes_succeeded");
  EXPECT_EQ(to_string(transition_cause::open_period_over), "open_period_over");
  EXPECT_EQ(to_string(transition_cause::tripped), "tripped");
  EXPECT_EQ(to_string(transition_cause::reset), "reset");
}

}  // namespace
}  // namespace resilience
