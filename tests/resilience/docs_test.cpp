// What docs/resilience.md shows is what there is: its example is compiled and run here, its defaults are the
// code's.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <resilience/resilience.hpp>

#include "resilience/support/example_price_client.hpp"
#include "resilience/support/print.hpp"
#include "resilience/support/stepped.hpp"

namespace resilience {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::sleep_for;
using testing::start;
using testing::started;

std::filesystem::path here() {
  return std::filesystem::path(__FILE__).parent_path();
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string page() {
  return text_of(here() / "../../docs/resilience.md");
}

TEST(ResiliencePage, QuotesTheExampleAsItIsCompiled) {
  const auto file = text_of(here() / "support/example_price_client.hpp");
  const std::string first = "// [quoted]\n";
  const auto begin = file.find(first) + first.size();
  const auto quoted = file.substr(begin, file.find("// [/quoted]") - begin);
  ASSERT_GT(quoted.size(), 500U);
  EXPECT_THAT(page(), HasSubstr("```cpp\n" + quoted + "```\n"));
}

template <class Number>
std::string row(const std::string& name, Number number, const std::string& unit = "") {
  std::ostringstream line;
  line << "| `" << name << "` | " << number << unit << " |";
  return line.str();
}

TEST(ResiliencePage, TellsTheDefaultsThatTheCodeHas) {
  const auto seconds = [](std::chrono::nanoseconds span) {
    return std::chrono::duration<double>(span).count();
  };
  const breaker_config breaker;
  const auto rate = std::get<failure_rate>(breaker.rule);
  const backoff wait;
  const auto text = page();
  EXPECT_THAT(text, HasSubstr(row("consecutive_failures.limit", consecutive_failures{}.limit)));
  EXPECT_THAT(text, HasSubstr(row("failure_rate.bucket", seconds(rate.bucket), " s")));
  EXPECT_THAT(text, HasSubstr(row("failure_rate.buckets", rate.buckets)));
  EXPECT_THAT(text, HasSubstr(row("failure_rate.threshold", rate.threshold)));
  EXPECT_THAT(text, HasSubstr(row("failure_rate.minimum_calls", rate.minimum_calls)));
  EXPECT_THAT(text, HasSubstr(row("open_for", seconds(breaker.open_for), " s")));
  EXPECT_THAT(text, HasSubstr(row("half_open_probes", breaker.half_open_probes)));
  EXPECT_THAT(text, HasSubstr(row("successes_to_close", breaker.successes_to_close)));
  EXPECT_THAT(text, HasSubstr(row("backoff.base", wait.base.count(), " ms")));
  EXPECT_THAT(text, HasSubstr(row("backoff.jitter_min", wait.jitter_min.count(), " ms")));
  EXPECT_THAT(text, HasSubstr(row("backoff.jitter_max", wait.jitter_max.count(), " ms")));
  EXPECT_THAT(text, HasSubstr(row("backoff.cap", seconds(wait.cap), " s")));
}

// The story that the page tells of the example.
TEST(ResiliencePage, ExampleStopsAskingAfterTwoTimeoutsAndAsksAgainAfterHalfAMinute) {
  manual_clock::set({});
  boost::asio::io_context context;
  int asked = 0;
  manual_clock::duration latency = 10s;
  price_client<manual_clock> client([&]() -> boost::asio::awaitable<double> {
    ++asked;
    co_await sleep_for(latency);
    co_return 47.8;
  });
  std::vector<started<boost::system::result<double>>> calls(4);
  for (int i : {0, 1}) {
    start(context, calls[static_cast<std::size_t>(i)], client.price());
    run_until_idle(context);
    EXPECT_EQ(calls[static_cast<std::size_t>(i)].error(), errc::timeout);
  }
  EXPECT_EQ(manual_clock::now(), manual_clock::time_point{} + 440ms);
  EXPECT_EQ(client.breaker().state(), breaker_state::open);

  start(context, calls[2], client.price());
  run_ready(context);
  EXPECT_EQ(calls[2].value.value().error(), errc::circuit_open);
  EXPECT_EQ(asked, 2);

  latency = 100ms;
  manual_clock::advance(30s);
  start(context, calls[3], client.price());
  run_until_idle(context);
  EXPECT_EQ(calls[3].value.value().value(), 47.8);
  EXPECT_EQ(client.breaker().state(), breaker_state::closed);
}

}  // namespace
}  // namespace resilience
