// The reader of scrapes that the tests of the metrics rely on: it must find what is wrong.
#include "telemetry/scrape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quote_lab::test {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> problems_of(const std::string& text) {
  return read_scrape(text).problems;
}

const std::string head = "# HELP a_total Text.\n# TYPE a_total counter\n";
const std::string histogram_head = "# HELP h Text.\n# TYPE h histogram\n";

TEST(Scrape, FindsNothingWrongWithASoundText) {
  EXPECT_THAT(problems_of(head + "a_total 1\n"), IsEmpty());
  EXPECT_THAT(problems_of(head + "a_total{x=\"1\",y=\"q\\\"b\\\\n\\n\"} 1.5e+06\n"), IsEmpty());
  EXPECT_THAT(
      problems_of(histogram_head + "h_count{m=\"x\"} 3\nh_sum{m=\"x\"} 1\nh_bucket{m=\"x\",le=\"0.1\"} 2\n"
                                   "h_bucket{m=\"x\",le=\"+Inf\"} 3\n"),
      IsEmpty());
}

TEST(Scrape, FindsWhatTheFormatForbids) {
  EXPECT_THAT(problems_of(head + "a_total 1"), Contains(StartsWith("the last line")));
  EXPECT_THAT(problems_of(head + "a_total one\n"), Contains(StartsWith("no number")));
  EXPECT_THAT(problems_of(head + "a_total{x=\"a\"b\"} 1\n"), Contains(StartsWith("neither")));
  EXPECT_THAT(problems_of(head + "a_total 1\na_total 1\n"), Contains(StartsWith("the series comes twice")));
  EXPECT_THAT(problems_of("# TYPE a_total counter\na_total 1\n"), Contains(StartsWith("no HELP")));
  EXPECT_THAT(problems_of("# HELP a_total Text.\na_total 1\n"), Contains(StartsWith("no TYPE")));
  EXPECT_THAT(problems_of(head + "b 1\n"), Contains(StartsWith("a sample away")));
  EXPECT_THAT(problems_of(head + "a_total 1\n# HELP g T.\n# TYPE g gauge\ng 1\n" + head),
              Contains(StartsWith("the family comes in two")));
}

TEST(Scrape, FindsWhatNoDashboardCouldUse) {
  EXPECT_THAT(problems_of(head + "a_total -1\n"), Contains(StartsWith("a counter below 0")));
  EXPECT_THAT(problems_of("# HELP a T.\n# TYPE a counter\na 1\n"), Contains(StartsWith("a counter without")));
  EXPECT_THAT(problems_of("# HELP a_total T.\n# TYPE a_total gauge\na_total 1\n"),
              Contains(StartsWith("_total without")));
}

TEST(Scrape, FindsABrokenHistogram) {
  const auto with = [](const std::string& samples) { return problems_of(histogram_head + samples); };
  EXPECT_THAT(with("h_bucket{le=\"0.1\"} 2\nh_count 2\nh_sum 1\n"), Contains(StartsWith("no +Inf")));
  EXPECT_THAT(with("h_bucket{le=\"0.1\"} 3\nh_bucket{le=\"+Inf\"} 2\nh_count 2\nh_sum 1\n"),
              Contains(StartsWith("buckets that fall")));
  EXPECT_THAT(with("h_bucket{le=\"+Inf\"} 2\nh_count 3\nh_sum 1\n"), Contains(StartsWith("_count is not")));
  EXPECT_THAT(with("h_bucket{le=\"+Inf\"} 2\nh_count 2\n"), Contains(StartsWith("no _sum")));
  EXPECT_THAT(with("h_bucket{le=\"+Inf\"} 2\nh_sum 2\n"), Contains(StartsWith("no _count")));
}

}  // namespace
}  // namespace quote_lab::test
