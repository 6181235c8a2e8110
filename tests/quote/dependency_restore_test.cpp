// Going on from a record that was saved: an open breaker stays open for what is left, neither shorter nor
// longer than it would have, and never longer than a period.
#include <gtest/gtest.h>

#include "quote/dependency.hpp"
#include "resilience/support/stepped.hpp"
#include "support/wall_clock.hpp"

namespace quote_lab::quote {
namespace {

using namespace std::chrono_literals;
using resilience::breaker_state;
using resilience::manual_clock;
using resilience::outcome;

class Restore : public ::testing::Test, resilience::testing::from_the_epoch {
 protected:
  Restore() {
    resilience::breaker_config config;
    config.rule = resilience::consecutive_failures{2};
    config.open_for = 30s;
    about.emplace(config, wall.reader());
  }

  provider_record saved_open(std::optional<wall_time> until) const {
    provider_record saved;
    saved.circuit = breaker_state::open;
    saved.opened_until = until;
    saved.consecutive_failures = 2;
    saved.open_events = 1;
    saved.cached = seed_quote(wall.now());
    return saved;
  }

  test::wall_clock wall;
  std::optional<dependency<manual_clock>> about;
};

TEST_F(Restore, AnOpenBreakerStaysOpenForWhatIsLeft) {
  const auto end = wall.now() + 12s;
  about->restore(saved_open(end));
  EXPECT_EQ(about->open_remaining(), 12s);
  EXPECT_EQ(about->record().opened_until, end);
  EXPECT_FALSE(about->try_acquire().has_value());
  manual_clock::advance(12s);
  EXPECT_TRUE(about->try_acquire().has_value());
}

TEST_F(Restore, AnEndFarAwayIsCutToOnePeriod) {
  for (const auto* far : {"2100-01-01T00:00:00.000Z", "2200-01-01T00:00:00.000Z"}) {
    about->restore(saved_open(from_iso8601(far)));
    EXPECT_EQ(about->open_remaining(), 30s);
    EXPECT_EQ(about->record().opened_until, wall.now() + 30s);
  }
}

TEST_F(Restore, AnEndThatHasPassedIsHalfOpen) {
  for (const auto ago : {0s, 1s, 3600s * 24 * 365 * 50}) {
    about->restore(saved_open(wall.now() - ago));
    EXPECT_EQ(about->circuit(), breaker_state::half_open);
    EXPECT_EQ(about->record().opened_until, std::nullopt);
    EXPECT_EQ(about->record().consecutive_failures, 2U);
  }
}

TEST_F(Restore, OpenWithoutAnEndIsHalfOpen) {
  about->restore(saved_open(std::nullopt));
  EXPECT_EQ(about->circuit(), breaker_state::half_open);
}

TEST_F(Restore, HalfOpenIsHalfOpenAgainAndLetsOneProbeThrough) {
  auto saved = saved_open(std::nullopt);
  saved.circuit = breaker_state::half_open;
  about->restore(saved);
  auto probe = about->try_acquire();
  ASSERT_TRUE(probe.has_value());
  EXPECT_FALSE(about->try_acquire().has_value());
  about->report(std::move(probe), outcome::success, milliseconds{1});
  EXPECT_EQ(about->circuit(), breaker_state::closed);
}

TEST_F(Restore, ARunOfFailuresGoesOn) {
  provider_record saved;
  saved.consecutive_failures = 1;
  about->restore(saved);
  const auto result = about->report(about->try_acquire(), outcome::failure, milliseconds{1});
  ASSERT_TRUE(result.change.has_value());
  EXPECT_EQ(result.consecutive_failures, 2U);
}

TEST_F(Restore, KeepsEveryOtherMemberAsItWas) {
  provider_record saved;
  saved.name = "another-gateway";
  saved.last_outcome = last_outcome::failure;
  saved.last_latency = milliseconds{219.5};
  saved.last_updated = wall.now() - 1h;
  saved.open_events = 7;
  saved.short_circuit_count = 9;
  saved.cached = {"quote-0123456789", 12.5, "EUR", wall.now() - 2h};
  about->restore(saved);
  const auto record = about->record();
  EXPECT_EQ(record.name, saved.name);
  EXPECT_EQ(record.last_outcome, saved.last_outcome);
  EXPECT_EQ(record.last_latency, saved.last_latency);
  EXPECT_EQ(record.last_updated, saved.last_updated);
  EXPECT_EQ(record.open_events, 7U);
  EXPECT_EQ(record.short_circuit_count, 9U);
  EXPECT_EQ(record.cached.quote_id, saved.cached.quote_id);
  EXPECT_EQ(record.cached.at, saved.cached.at);
}

TEST_F(Restore, SavingAndRestoringOverAndOverNeitherShortensNorLengthensThePeriod) {
  about->restore(saved_open(wall.now() + 30s));
  for (int restart = 0; restart < 29; ++restart) {
    manual_clock::advance(1s);
    about->restore(about->record());
  }
  EXPECT_EQ(about->open_remaining(), 1s);
  EXPECT_EQ(about->record().open_events, 1U);
}

TEST_F(Restore, TellsNobody) {
  int heard = 0;
  about->listen([&] { ++heard; }, [&](const auto&) { ++heard; });
  about->restore(saved_open(wall.now() + 12s));
  EXPECT_EQ(heard, 0) << "what is restored was told when it happened";
}

}  // namespace
}  // namespace quote_lab::quote
