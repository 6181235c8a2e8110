// The provider as the lab knows it: what a report changes, who hears of it, and when the breaker's end is.
#include "quote/dependency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resilience/support/stepped.hpp"
#include "support/wall_clock.hpp"

namespace quote_lab::quote {
namespace {

using namespace std::chrono_literals;
using resilience::breaker_state;
using resilience::manual_clock;
using resilience::outcome;

class Dependency : public ::testing::Test, resilience::testing::from_the_epoch {
 protected:
  Dependency() {
    resilience::breaker_config config;
    config.rule = resilience::consecutive_failures{2};
    config.open_for = 30s;
    about.emplace(config, wall.reader());
  }

  void fail_permitted() { about->report(about->try_acquire(), outcome::failure, milliseconds{1}); }
  void open() {
    fail_permitted();
    fail_permitted();
    ASSERT_EQ(about->circuit(), breaker_state::open);
  }

  test::wall_clock wall;
  std::optional<dependency<manual_clock>> about;
};

TEST_F(Dependency, BeginsUnknownClosedAndWithTheSeed) {
  const auto record = about->record();
  EXPECT_EQ(record.name, "carrier-gateway");
  EXPECT_EQ(record.circuit, breaker_state::closed);
  EXPECT_EQ(record.consecutive_failures, 0U);
  EXPECT_EQ(record.opened_until, std::nullopt);
  EXPECT_EQ(record.last_outcome, last_outcome::unknown);
  EXPECT_EQ(record.last_updated, std::nullopt);
  EXPECT_EQ(record.cached.quote_id, "cached-quote-seed");
  EXPECT_EQ(record.cached.at, wall.now());
}

TEST_F(Dependency, KeepsTheLastReportOfEitherMode) {
  manual_clock::advance(5s);
  about->report(about->try_acquire(), outcome::failure, milliseconds{219.5});
  EXPECT_EQ(about->record().last_outcome, last_outcome::failure);
  EXPECT_EQ(about->record().last_latency, milliseconds{219.5});
  EXPECT_EQ(about->record().last_updated, wall.now());
  manual_clock::advance(1s);
  about->report(std::nullopt, outcome::success, milliseconds{120});
  EXPECT_EQ(about->record().last_outcome, last_outcome::success);
  EXPECT_EQ(about->record().last_latency, milliseconds{120});
  EXPECT_EQ(about->record().last_updated, wall.now());
  EXPECT_EQ(about->record().consecutive_failures, 0U);
}

TEST_F(Dependency, CountsTheRefusedAndTheOpenings) {
  open();
  EXPECT_FALSE(about->try_acquire().has_value());
  EXPECT_FALSE(about->try_acquire().has_value());
  EXPECT_EQ(about->record().short_circuit_count, 2U);
  EXPECT_EQ(about->record().open_events, 1U);
  EXPECT_EQ(about->record().consecutive_failures, 2U);
}

TEST_F(Dependency, TellsTheTransitionFirstAndThenThatSomethingChanged) {
  std::vector<std::string> heard;
  about->listen([&] { heard.emplace_back("change"); },
                [&](const resilience::transition& change) {
                  heard.emplace_back(resilience::to_string(change.to));
                  EXPECT_EQ(about->record().circuit, change.to)
                      << "what is written then must be the new state";
                });
  fail_permitted();
  EXPECT_THAT(heard, ::testing::ElementsAre("change"));
  fail_permitted();
  EXPECT_THAT(heard, ::testing::ElementsAre("change", "open", "change", "change"));
}

TEST_F(Dependency, TheRecordThatATransitionIsWrittenFromHasItsEndAndItsCount) {
  std::optional<provider_record> written;
  about->listen([] {}, [&](const resilience::transition&) { written = about->record(); });
  open();
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->open_events, 1U);
  EXPECT_EQ(written->opened_until, wall.now() + 30s);
}

TEST_F(Dependency, TheEndIsFixedWhileItIsOpenAndGoneAfterwards) {
  open();
  const auto end = wall.now() + 30s;
  for (int second = 0; second < 30; ++second) {
    EXPECT_EQ(about->record().opened_until, end);
    manual_clock::advance(1s);
  }
  EXPECT_EQ(about->record().circuit, breaker_state::half_open);
  EXPECT_EQ(about->record().opened_until, std::nullopt);
}

TEST_F(Dependency, TheEndFollowsAWallClockThatIsSetButThePeriodDoesNotChange) {
  for (const auto step : {3600s, -7200s, -60s}) {
    about->reset();
    open();
    manual_clock::advance(10s);
    wall.set_by(step);
    EXPECT_EQ(about->record().opened_until, wall.now() + 20s);
    EXPECT_EQ(about->open_remaining(), 20s);
    manual_clock::advance(20s - 1ns);
    EXPECT_EQ(about->circuit(), breaker_state::open);
    manual_clock::advance(1ns);
    EXPECT_EQ(about->circuit(), breaker_state::half_open);
  }
}

TEST_F(Dependency, AResetIsTheFirstDayAgain) {
  open();
  about->remember({"quote-0123456789", 12.5, "EUR", wall.now()});
  manual_clock::advance(1s);
  EXPECT_FALSE(about->try_acquire().has_value());
  int changes = 0;
  about->listen([&] { ++changes; }, [](const auto&) {});
  about->reset();
  const auto record = about->record();
  EXPECT_EQ(record.circuit, breaker_state::closed);
  EXPECT_EQ(record.consecutive_failures, 0U);
  EXPECT_EQ(record.opened_until, std::nullopt);
  EXPECT_EQ(record.open_events, 0U);
  EXPECT_EQ(record.short_circuit_count, 0U);
  EXPECT_EQ(record.last_outcome, last_outcome::unknown);
  EXPECT_EQ(record.cached.quote_id, "cached-quote-seed");
  EXPECT_EQ(record.cached.at, wall.now());
  EXPECT_GE(changes, 1);
}

TEST_F(Dependency, AResultFromBeforeAResetIsStale) {
  auto early = about->try_acquire();
  auto early_too = about->try_acquire();
  about->reset();
  EXPECT_FALSE(about->report(std::move(early), outcome::failure, milliseconds{1}).used);
  EXPECT_FALSE(about->report(std::move(early_too), outcome::failure, milliseconds{1}).used);
  EXPECT_EQ(about->circuit(), breaker_state::closed);
}

}  // namespace
}  // namespace quote_lab::quote
