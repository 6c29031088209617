#include "http/server/response_text.h"

#include <gtest/gtest.h>

namespace evener::http {
namespace {

using namespace std::chrono_literals;

TEST(ResponseText, HasStatusHeadersDateAndLength) {
  const Response response{.status = 200, .headers = {{"X-One", "1"}}, .body = "hello"};
  EXPECT_EQ(head_text(response, {.date = "now"}),
            "HTTP/1.1 200 OK\r\nX-One: 1\r\nDate: now\r\nContent-Length: 5\r\n\r\n");
  EXPECT_NE(head_text(response, {.date = "now", .keep_alive = KeepAlive::kNo})
                .find("\r\nConnection: close\r\n"),
            std::string::npos);
  EXPECT_NE(head_text(response, {.date = "now", .keep_alive = KeepAlive::kYesAndSay})
                .find("\r\nConnection: keep-alive\r\n"),
            std::string::npos);
}

TEST(ResponseText, OnlyTheServerSaysHowTheMessageEnds) {
  const Response response{.headers = {{"content-length", "99"},
                                      {"Transfer-Encoding", "chunked"},
                                      {"CONNECTION", "close"},
                                      {"date", "never"}}};
  EXPECT_EQ(head_text(response, {.date = "now"}),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\n\r\n");
}

TEST(ResponseText, AStatusWithoutBodyHasNoLength) {
  EXPECT_EQ(head_text({.status = 204}, {.date = "now"}),
            "HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n");
  EXPECT_TRUE(has_no_body(304));
  EXPECT_FALSE(has_no_body(200));
}

TEST(ResponseText, HeadersThatWouldBreakTheMessageAreSeen) {
  for (const Header& bad : {Header{"X", "a\r\nSet-Cookie: b"}, Header{"X", "a\nb"},
                            Header{"X", std::string("a\0b", 3)}, Header{"X", "\x7f"},
                            Header{"X\r\nY", "a"}, Header{"X:", "a"}, Header{"X Y", "a"},
                            Header{"", "a"}}) {
    EXPECT_FALSE(is_well_formed({.headers = {bad}})) << bad.name << bad.value;
  }
  EXPECT_TRUE(is_well_formed({.headers = {{"x-amzn-RequestId", "a b\t\xC3\xA9"}}}));
  EXPECT_FALSE(is_well_formed({.status = 100}));
  EXPECT_FALSE(is_well_formed({.status = 0}));
  EXPECT_FALSE(is_well_formed({.status = 1000}));
}

TEST(HttpDate, IsThatOfTheStandard) {
  const WallTime time = std::chrono::sys_days(std::chrono::year(1994) / 11 / 6) + 8h + 49min + 37s;
  EXPECT_EQ(http_date(time), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(WallTime{}), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(ReasonPhrase, IsNeverEmpty) {
  for (int status = 200; status < 600; ++status) EXPECT_FALSE(reason_phrase(status).empty());
}

}  // namespace
}  // namespace evener::http
