// The page: every place filled in, and nothing in it that was not meant as text.
#include "web/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quote_lab::web {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

page_facts some_facts() {
  page_facts facts;
  facts.provider = "carrier-gateway";
  facts.circuit_status = "half_open";
  facts.consecutive_failures = 17;
  facts.links = {{"/health", "Whether it is up."}, {"/quote-legacy?a=1&b=2", "Makes a <storm>."}};
  return facts;
}

TEST(EscapeHtml, LeavesNothingThatEndsATextOrAnAttribute) {
  EXPECT_EQ(escape_html("<a href=\"x\" title='y'>&amp;</a>"),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
  EXPECT_EQ(escape_html("plain caf\xc3\xa9"), "plain caf\xc3\xa9");
  EXPECT_EQ(escape_html(""), "");
}

TEST(Page, HasEveryPlaceFilledIn) {
  const auto text = page(some_facts());
  EXPECT_THAT(text, Not(HasSubstr("{{")));
  EXPECT_THAT(text, Not(HasSubstr("}}")));
  EXPECT_THAT(text, HasSubstr("carrier-gateway"));
  EXPECT_THAT(text, HasSubstr("class=\"breaker half_open\""));
  EXPECT_THAT(text, HasSubstr("<strong>half_open</strong>"));
  EXPECT_THAT(text, HasSubstr("failures in a row: 17"));
}

TEST(Page, LinksRelativeToItselfSoThatAPrefixDoesNotMatter) {
  const auto text = page(some_facts());
  EXPECT_THAT(text, HasSubstr("<a href=\"./health\">/health</a> Whether it is up."));
  EXPECT_THAT(text, HasSubstr("<a href=\"./quote-legacy?a=1&amp;b=2\">/quote-legacy?a=1&amp;b=2</a>"));
  EXPECT_THAT(text, Not(HasSubstr("href=\"/")));
}

TEST(Page, EscapesWhatItIsGiven) {
  auto facts = some_facts();
  facts.provider = "<script>alert(1)</script>";
  facts.circuit_status = "\"><b>";
  const auto text = page(facts);
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  EXPECT_THAT(text, Not(HasSubstr("\"><b>")));
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(text, HasSubstr("Makes a &lt;storm&gt;."));
}

TEST(Page, AValueThatLooksLikeAPlaceIsText) {
  auto facts = some_facts();
  facts.provider = "{{links}} {{consecutive_failures}}";
  EXPECT_THAT(page(facts), HasSubstr("{{links}} {{consecutive_failures}}"));
}

TEST(Page, LoadsNothingAndRunsNothing) {
  const auto text = page(some_facts());
  for (const auto* what : {"<script", "src=", "@import", "url(", "<link", "onload", "http://", "https://"}) {
    EXPECT_THAT(text, Not(HasSubstr(what)));
  }
  EXPECT_THAT(text, HasSubstr("<html lang=\"en\">"));
  EXPECT_THAT(text, HasSubstr("<meta charset=\"utf-8\">"));
}

TEST(Page, ComesWithHeadersThatForbidTheRest) {
  std::string policy;
  for (const auto& [name, value] : security_headers()) {
    if (name == "Content-Security-Policy") policy = value;
  }
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("script-src")));
}

}  // namespace
}  // namespace quote_lab::web
