// The Accept header: a browser prefers the page, a program the document.
#include "api/accept.hpp"

#include <gtest/gtest.h>

namespace quote_lab::api {
namespace {

TEST(Accept, PrefersThePageForWhoeverPrefersHtml) {
  for (const auto* accept :
       {"text/html", "TEXT/HTML", "text/html, */*;q=0.8",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8",
        "application/json;q=0.5, text/html;q=0.6", "text/*",
        "text/html;level=1;q=0.9, application/json;q=0.8", " text/html \t;\t q=1.0 ",
        "application/*;q=0.2,text/html;q=0.3", "text/html;Q=0.5, */*;q=0.1", "*/*, application/json;q=0"}) {
    EXPECT_TRUE(prefers_html(accept)) << accept;
  }
}

TEST(Accept, PrefersTheDocumentForEverybodyElse) {
  for (const auto* accept : {"",
                             "*/*",
                             "application/json",
                             "application/json, text/html",
                             "text/html, application/json",
                             "text/html;q=0.5, application/json",
                             "text/html;q=0",
                             "text/plain",
                             "image/png",
                             "application/*, text/*",
                             "text/html;q=0.8, */*",
                             "text/html;q=0.4, application/*;q=0.5",
                             "*/*, text/html;q=0",
                             "text/htmlx",
                             "text",
                             "/",
                             ";;,,;q=1",
                             "text/html;q=abc",
                             "text/html;q=2",
                             "text/html;q=-1",
                             "text/html;q=nan"}) {
    EXPECT_FALSE(prefers_html(accept)) << accept;
  }
}

TEST(Accept, TheMostSpecificRangeDecides) {
  EXPECT_FALSE(prefers_html("text/*;q=0.9, text/html;q=0.1, application/json;q=0.5"));
  EXPECT_FALSE(prefers_html("text/html;q=0.1, text/*;q=0.9, application/json;q=0.5"));
  EXPECT_TRUE(prefers_html("application/*, application/json;q=0.1, text/html;q=0.5"));
}

TEST(Accept, DoesNotMindWhatMakesNoSense) {
  EXPECT_FALSE(prefers_html(std::string(100'000, ',')));
  EXPECT_FALSE(prefers_html(std::string(100'000, ';')));
  EXPECT_TRUE(prefers_html(std::string(10'000, ',') + "text/html"));
}

}  // namespace
}  // namespace quote_lab::api
