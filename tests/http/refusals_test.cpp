#include "http/refusals.hpp"

#include <set>

#include <gtest/gtest.h>

namespace quote_lab::http {
namespace {

TEST(refusals, have_labels_that_a_counter_can_be_named_by) {
  std::set<std::string_view> seen;
  for (const auto label : all_refusal_labels()) {
    EXPECT_EQ(label.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string_view::npos)
        << label;
    EXPECT_TRUE(seen.insert(label).second) << label << " twice";
    EXPECT_EQ(all_refusal_labels()[index_of_label(label)], label);
  }
}

TEST(refusals, carry_status_label_and_message) {
  const auto made = make_refusal(refusal_reason::head_too_large, "Too long.");
  EXPECT_EQ(made.code, status::request_header_fields_too_large);
  EXPECT_EQ(made.reason, "head_too_large");
  EXPECT_EQ(made.message, "Too long.");
}

}  // namespace
}  // namespace quote_lab::http
