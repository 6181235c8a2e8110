#include <boost/system/errc.hpp>
#include <boost/system/error_code.hpp>
#include <gtest/gtest.h>

#include <resilience/error.hpp>

namespace resilience {
namespace {

TEST(Error, BecomesAnErrorCodeOfItsOwnCategory) {
  const boost::system::error_code open = errc::circuit_open;
  EXPECT_TRUE(open.failed());
  EXPECT_STREQ(open.category().name(), "resilience");
  EXPECT_EQ(open, errc::circuit_open);
  EXPECT_NE(open, errc::timeout);
}

TEST(Error, SaysInWordsWhatHappened) {
  EXPECT_EQ(make_error_code(errc::circuit_open).message(), "the circuit breaker is open");
  EXPECT_EQ(make_error_code(errc::timeout).message(), "the time limit was exceeded");
  EXPECT_EQ(error_category().message(99), "unknown resilience error 99");
}

TEST(Error, TimeoutIsTheGenericConditionTimedOutAndAnOpenCircuitIsNot) {
  EXPECT_EQ(make_error_code(errc::timeout), boost::system::errc::timed_out);
  EXPECT_NE(make_error_code(errc::circuit_open), boost::system::errc::timed_out);
}

}  // namespace
}  // namespace resilience
