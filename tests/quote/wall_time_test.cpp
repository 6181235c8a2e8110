// Times of day as text and as milliseconds since 1970.
#include "quote/wall_time.hpp"

#include <gtest/gtest.h>

namespace quote_lab::quote {
namespace {

using namespace std::chrono_literals;

TEST(WallTime, IsWrittenWithMillisecondsAndAZ) {
  EXPECT_EQ(iso8601(wall_time{}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(iso8601(from_epoch_ms(1'796'053'441'930)), "2026-11-30T15:44:01.930Z");
  EXPECT_EQ(iso8601(wall_time{} - 1ms), "1969-12-31T23:59:59.999Z");
}

TEST(WallTime, IsCutToTheMillisecondAndNotRounded) {
  EXPECT_EQ(iso8601(wall_time{} + 999'999us), "1970-01-01T00:00:00.999Z");
  EXPECT_EQ(epoch_ms(wall_time{} + 1'999us), 1);
  EXPECT_EQ(epoch_ms(wall_time{} - 1us), -1);
}

TEST(WallTime, ReadsWhatItWrites) {
  for (const std::int64_t ms : {0LL, 1'796'053'441'930LL, 951'782'400'000LL, 7'258'118'400'000LL, -1LL}) {
    const auto time = from_epoch_ms(ms);
    EXPECT_EQ(from_iso8601(iso8601(time)), time) << iso8601(time);
    EXPECT_EQ(epoch_ms(time), ms);
  }
}

TEST(WallTime, ReadsNothingElse) {
  for (const auto* text :
       {"", "now", "2026-11-30", "2026-11-30T15:44:01Z", "2026-11-30T15:44:01.930",
        "2026-11-30t15:44:01.930z", "2026-11-30T15:44:01.930+00:00", " 2026-11-30T15:44:01.930Z",
        "2026-11-30T15:44:01.930Z ", "2026-13-30T15:44:01.930Z", "2026-02-29T15:44:01.930Z",
        "2026-00-10T15:44:01.930Z", "2026-11-30T24:00:00.000Z", "2026-11-30T15:60:01.930Z",
        "2026-11-30T15:44:60.930Z", "-026-11-30T15:44:01.930Z", "2026-11-3xT15:44:01.930Z"}) {
    EXPECT_EQ(from_iso8601(text), std::nullopt) << text;
  }
}

TEST(WallTime, AYearThatTheClockDoesNotReachIsNoTime) {
  for (const auto* text : {"0000-01-01T00:00:00.000Z", "0001-01-01T00:00:00.000Z", "1500-01-01T00:00:00.000Z",
                           "2300-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"}) {
    EXPECT_EQ(from_iso8601(text), std::nullopt) << text;
  }
  EXPECT_TRUE(from_iso8601("1700-01-01T00:00:00.000Z").has_value());
  EXPECT_TRUE(from_iso8601("2261-12-31T23:59:59.999Z").has_value());
}

TEST(WallTime, LeapDaysAreDays) {
  EXPECT_TRUE(from_iso8601("2024-02-29T00:00:00.000Z").has_value());
  EXPECT_TRUE(from_iso8601("2000-02-29T00:00:00.000Z").has_value());
  EXPECT_FALSE(from_iso8601("2100-02-29T00:00:00.000Z").has_value());
}

}  // namespace
}  // namespace quote_lab::quote
