#include "http/message.hpp"

#include <gtest/gtest.h>

namespace quote_lab::http {
namespace {

TEST(request, finds_the_first_header_of_a_name_without_regard_to_case) {
  request asked;
  asked.headers = {{"X-Request-Id", "one"}, {"x-request-id", "two"}};
  EXPECT_EQ(asked.find_header("x-REQUEST-id"), "one");
  EXPECT_EQ(asked.find_header("X-Request"), std::nullopt);
}

}  // namespace
}  // namespace quote_lab::http
