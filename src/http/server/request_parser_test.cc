#include "http/server/request_parser.h"

#include <gtest/gtest.h>

#include <random>

namespace evener::http {
namespace {

using State = RequestParser::State;

constexpr ParserLimits kLimits{.header_bytes = 4'096, .headers = 32, .body_bytes = 1'000};
const std::string kGet = "GET /a/b?x=1 HTTP/1.1\r\nHost: h\r\n";

struct Parsed {
  State state = State::kHead;
  int status = 0;
  Request request;
  std::string left;
  bool operator==(const Parsed& other) const {
    return state == other.state && status == other.status && left == other.left &&
           request.method == other.request.method && request.path == other.request.path &&
           request.query == other.request.query && request.body == other.request.body &&
           request.headers == other.request.headers;
  }
};

// Feeds `bytes` in pieces of `step`, keeping what is not used, as a connection does.
Parsed parse(std::string_view bytes, std::size_t step = 100'000) {
  RequestParser parser(kLimits);
  Parsed parsed;
  while (!bytes.empty()) {
    parsed.left.append(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
    parsed.left.erase(0, parser.feed(parsed.left));
    parsed.state = parser.state();
    if (parsed.state == State::kRefused || parsed.state == State::kDone) break;
  }
  parsed.left.append(bytes);
  if (parsed.state == State::kRefused) {
    parsed.status = parser.refusal().status;
    parsed.left.clear();
  }
  if (parsed.state == State::kDone) parsed.request = parser.take();
  return parsed;
}

int status_of(std::string_view bytes) { return parse(bytes).status; }

TEST(RequestParser, ReadsMethodPathQueryHeadersAndBody) {
  const Parsed parsed = parse(
      "POST /a%20b?x=1&y=? HTTP/1.1\r\nHost: h:1\r\nX-Two:  words here \r\nX-Empty:\r\n"
      "Content-Length: 5\r\n\r\nhelloGET");
  ASSERT_EQ(parsed.state, State::kDone);
  EXPECT_EQ(parsed.request.method, "POST");
  EXPECT_EQ(parsed.request.path, "/a%20b");
  EXPECT_EQ(parsed.request.query, "x=1&y=?");
  EXPECT_EQ(parsed.request.headers, (Headers{{"Host", "h:1"},
                                             {"X-Two", "words here"},
                                             {"X-Empty", ""},
                                             {"Content-Length", "5"}}));
  EXPECT_EQ(parsed.request.body, "hello");
  EXPECT_EQ(parsed.left, "GET");
}

TEST(RequestParser, JoinsChunksAndDropsTheirExtensionsAndTrailers) {
  const Parsed parsed = parse(kGet +
                              "Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\nA\r\n0123456789\r\n"
                              "0\r\nX-Amz-Target: evil\r\n\r\nrest");
  ASSERT_EQ(parsed.state, State::kDone);
  EXPECT_EQ(parsed.request.body, "abc0123456789");
  EXPECT_FALSE(parsed.request.headers.find("X-Amz-Target"));
  EXPECT_EQ(parsed.left, "rest");
}

TEST(RequestParser, PiecesOfAnySizeGiveTheSameRequest) {
  const std::string requests[] = {
      kGet + "\r\n", "\r\n\r\n" + kGet + "\r\n",
      kGet + "Content-Length: 10\r\n\r\n0123456789",
      kGet + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      kGet + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2;x\r\nbc\r\n0\r\nT: 1\r\n\r\n"};
  for (const std::string& request : requests) {
    const Parsed whole = parse(request);
    ASSERT_EQ(whole.state, State::kDone) << request;
    for (std::size_t step = 1; step < 40; ++step) {
      EXPECT_EQ(parse(request, step), whole) << request << " in pieces of " << step;
    }
  }
}

TEST(RequestParser, WhatTwoReadersCouldFrameDifferentlyIsRefused) {
  const std::string body = "\r\n\r\n0\r\n\r\n";
  for (const char* headers :
       {"Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\n"
        "Content-Length: 5", "Content-Length: 5\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 5", "Content-Length: +5",
        "Content-Length: -5", "Content-Length: 0x5", "Content-Length: 5 5", "Content-Length:",
        "Content-Length: 99999999999999999999", "Transfer-Encoding: chunked\r\n"
        "Transfer-Encoding: chunked", "Content-Length : 5", " Content-Length: 5", "X: a\r\n\tb",
        "Bad Name: 1", "No-Colon", "X: a\rb", "X: a\nContent-Length: 5", ": empty",
        "X\x01: 1"}) {
    EXPECT_EQ(status_of(kGet + headers + body), 400) << headers;
  }
  for (const char* coding : {"gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked",
                             "xchunked", "\"chunked\"", "identity", ""}) {
    EXPECT_EQ(status_of(kGet + "Transfer-Encoding: " + coding + body), 501) << coding;
  }
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked" + body), 400);
}

TEST(RequestParser, ControlCharactersInValuesAreRefused) {
  for (const char c : {'\0', '\x01', '\x0b', '\x1f', '\x7f'}) {
    EXPECT_EQ(status_of(kGet + "X: a" + c + "b\r\n\r\n"), 400) << static_cast<int>(c);
  }
  EXPECT_EQ(parse(kGet + "X: a\tb \xC3\xA9\r\n\r\n").state, State::kDone);
}

TEST(RequestParser, BadChunksAreRefused) {
  for (const char* chunks : {"xyz\r\n", "-1\r\nabcdefg", "3\r\nabcd\r\n0\r\n\r\n", "\r\nabcdef",
                             "3 \nabc\r\n0\r\n\r\n", "ffffffffffffffffff\r\nabc",
                             "0\r\nContent-Length: 3\r\n\r\n", "3\r\nabcX\r\n0\r\n\r\n",
                             "0x3\r\nabc\r\n0\r\n\r\n"}) {
    const Parsed parsed = parse(kGet + "Transfer-Encoding: chunked\r\n\r\n" + chunks);
    EXPECT_EQ(parsed.state, State::kRefused) << chunks;
    EXPECT_TRUE(parsed.status == 400 || parsed.status == 413) << chunks;
  }
}

TEST(RequestParser, OneHostIsWanted) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(parse("GET / HTTP/1.0\r\n\r\n").state, State::kDone);
  EXPECT_EQ(status_of("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
}

TEST(RequestParser, AnAbsoluteTargetMustNameTheSameHost) {
  const Parsed same = parse("GET http://h:1/a?b HTTP/1.1\r\nHost: h:1\r\n\r\n");
  ASSERT_EQ(same.state, State::kDone);
  EXPECT_EQ(same.request.path, "/a");
  EXPECT_EQ(same.request.query, "b");
  EXPECT_EQ(status_of("GET http://evil/a HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n"), 400);
}

TEST(RequestParser, AStartLineThatIsNoneIsRefused) {
  for (const char* line : {"GET", "GET /", "get\x01 / HTTP/1.1", "GET  / HTTP/1.1", "GET x HTTP/1.1",
                           "CONNECT h:1 HTTP/1.1", "GET /#a HTTP/1.1", "GET /\xC3\xA9 HTTP/1.1",
                           "GET * HTTP/1.1", "\x16\x03\x01\x02", "/ HTTP/1.1"}) {
    const Parsed parsed = parse(std::string(line) + "\r\nHost: h\r\n\r\n");
    EXPECT_EQ(parsed.state, State::kRefused) << line;
    EXPECT_TRUE(parsed.status == 400 || parsed.status == 505) << line << parsed.status;
  }
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/0.9\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(parse("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n").state, State::kDone);
}

TEST(RequestParser, TooManyOrTooLongHeadersAre431InPiecesToo) {
  std::string many = kGet;
  for (int at = 0; at < 100'000; ++at) many += "a: b\r\n";
  const std::string lines[] = {many, kGet + "X: " + std::string(100'000, 'x'),
                               kGet + std::string(100'000, 'x'),
                               "GET /" + std::string(100'000, 'x'), std::string(100'000, 'G'),
                               kGet + "A: " + std::string(3'000, 'x') + "\r\nB: " +
                                   std::string(3'000, 'x') + "\r\n\r\n"};
  for (const std::string& line : lines) {
    for (const std::size_t step : {std::size_t{100'000}, std::size_t{1'000}, std::size_t{7}}) {
      EXPECT_EQ(parse(line, step).status, 431) << line.substr(0, 60) << " in pieces of " << step;
    }
  }
}

TEST(RequestParser, ABodyBeyondTheLimitIs413BeforeItHasCome) {
  EXPECT_EQ(status_of(kGet + "Content-Length: 1001\r\n\r\n"), 413);
  EXPECT_EQ(status_of(kGet + "Content-Length: 1000000000000\r\n\r\n"), 413);
  EXPECT_EQ(parse(kGet + "Content-Length: 1000\r\n\r\n" + std::string(1'000, 'x')).state,
            State::kDone);
  EXPECT_EQ(status_of(kGet + "Transfer-Encoding: chunked\r\n\r\n3e9\r\nabcd"), 413);
  std::string chunks = kGet + "Transfer-Encoding: chunked\r\n\r\n";
  for (int at = 0; at < 1'001; ++at) chunks += "1\r\nx\r\n";
  EXPECT_EQ(status_of(chunks), 413);
}

TEST(RequestParser, AnEndlessLineOfAChunkOrTrailerIsRefused) {
  const std::string start = kGet + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(parse(start + "1;" + std::string(100'000, 'x'), 500).state, State::kRefused);
  EXPECT_EQ(parse(start + "0\r\nX: " + std::string(100'000, 'x'), 500).state, State::kRefused);
}

TEST(RequestParser, Only100ContinueCanBeExpected) {
  EXPECT_EQ(status_of(kGet + "Expect: magic\r\n\r\n"), 417);
  RequestParser parser(kLimits);
  const std::string head = kGet + "Content-Length: 1\r\nExpect: 100-Continue\r\n\r\n";
  EXPECT_EQ(parser.feed(head), head.size());
  EXPECT_EQ(parser.state(), State::kBody);
  EXPECT_TRUE(parser.wants_continue());
}

TEST(RequestParser, BrokenRequestsAreReadTheSameWayHoweverTheyAreCut) {
  std::mt19937 random(7);
  const std::string seeds[] = {
      kGet + "Content-Length: 10\r\n\r\n0123456789" + kGet + "\r\n",
      kGet + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2;x=\"y\"\r\nbc\r\n0\r\nT: 1\r\n\r\n",
      "POST http://h/x?y HTTP/1.0\r\nHost: h\r\nExpect: 100-continue\r\nX: a\r\n b\r\n\r\n"};
  const std::string_view alphabet = "\r\n :;,0123456789abcXTGHP/?%\t\x80\x01";
  for (int round = 0; round < 3'000; ++round) {
    std::string text = seeds[random() % std::size(seeds)];
    for (auto change = random() % 4 + 1; change > 0; --change) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = alphabet[random() % alphabet.size()]; break;
        case 1: text.insert(at, 1, alphabet[random() % alphabet.size()]); break;
        case 2: text.erase(at, random() % 4 + 1); break;
        default: text.insert(at, text.substr(random() % text.size(), random() % 20)); break;
      }
    }
    const Parsed whole = parse(text);
    const Parsed cut = parse(text, random() % 5 + 1);
    // A head without end is refused at its end or before, as it happens to be cut.
    ASSERT_EQ(cut.state == State::kDone, whole.state == State::kDone) << text;
    ASSERT_TRUE(whole.state != State::kDone || cut == whole) << text;
  }
}

}  // namespace
}  // namespace evener::http
