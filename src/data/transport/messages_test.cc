#include "data/transport/messages.h"

#include <gmock/gmock.h>

namespace evener::data::transport {
namespace {

// The frame of these bytes, as a stream would hand it on.
struct Parsed {
  std::string bytes;
  FrameView view() const {
    const auto all = std::as_bytes(std::span(bytes));
    auto header = decode(all.first<kHeaderBytes>());
    EXPECT_TRUE(header.has_value());
    return {*header, all.subspan(kHeaderBytes, header->body_bytes)};
  }
};

Parsed with_body(FrameKind kind, std::string_view body) {
  return {frame_bytes({.kind = kind}, body)};
}

TEST(Messages, TheHelloOfAReaderComesBack) {
  ReaderHello hello{"secret", 2, 4, "train", document::make_object(), {3, 42}, 7};
  hello.pipeline->set("seed", document::make_integer(1));
  const Parsed frame{frame_of(hello)};
  auto start = read_hello_start(frame.view());
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->role, Role::kReader);
  EXPECT_EQ(start->token, "secret");
  auto back = read_reader_hello(frame.view());
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->rank, 2u);
  EXPECT_EQ(back->ranks, 4u);
  EXPECT_EQ(back->feed, "train");
  EXPECT_EQ(back->from, (Unit{3, 42}));
  EXPECT_EQ(back->generation, 7u);
  ASSERT_TRUE(back->pipeline.has_value());
  EXPECT_EQ(document::write(*back->pipeline), R"({"seed":1})");
  EXPECT_FALSE(read_worker_hello(frame.view()).has_value());
}

TEST(Messages, TheHelloOfAWorkerComesBack) {
  const Parsed frame{frame_of(WorkerHello{"t", "algo-2:7000", 8, "host", "name"})};
  auto back = read_worker_hello(frame.view());
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->address, "algo-2:7000");
  EXPECT_EQ(back->threads, 8u);
  EXPECT_EQ(back->host, "host");
  EXPECT_EQ(back->local, "name");
}

TEST(Messages, TheHelloAndWelcomeOfAStreamComeBack) {
  const Parsed hello{frame_of(StreamHello{"", 1, 2, 3, 1u << 30})};
  auto back = read_stream_hello(hello.view());
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->rank, 3u);
  EXPECT_EQ(back->credit_bytes, 1u << 30);
  const Schema schema{{{"x", DType::kF32, {4}}}};
  const Parsed welcome{frame_of(StreamWelcome{schema, 8, 1u << 20, 1u << 10})};
  auto welcomed = read_stream_welcome(welcome.view());
  ASSERT_TRUE(welcomed.has_value());
  EXPECT_EQ(welcomed->schema, schema);
  EXPECT_EQ(welcomed->arena_bytes, 1u << 20);
  EXPECT_EQ(welcomed->place_bytes, 1u << 10);
}

TEST(Messages, TheWelcomesOfADispatcherComeBack) {
  const Schema schema{{{"x", DType::kF32, {4}}}};
  const std::vector<WorkerPlace> workers{{1, "a:1", "h", "l"}, {2, "b:2", "", ""}};
  const Parsed frame{frame_of(ReaderWelcome{5, 6, schema, 8, 1'000, 90, workers})};
  auto back = read_reader_welcome(frame.view());
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->feed, 5u);
  EXPECT_EQ(back->generation, 6u);
  EXPECT_EQ(back->batches_per_epoch, 1'000u);
  EXPECT_EQ(back->epochs, 90u);
  EXPECT_EQ(back->workers, workers);
  const Parsed later{frame_of(Workers{workers})};
  EXPECT_EQ(read_workers(later.view())->workers, workers);
  const Parsed worker{frame_of(WorkerWelcome{17})};
  EXPECT_EQ(read_worker_welcome(worker.view())->worker, 17u);
}

TEST(Messages, FeedsAndLeasesComeBack) {
  const Parsed feed{frame_of(Feed{1, 2, document::make_string("d"), 3})};
  EXPECT_EQ(read_feed(feed.view())->generation, 2u);
  EXPECT_EQ(read_feed(feed.view())->definition.text, "d");
  const Parsed ready{frame_of(FeedReady{1, 50'000, "f00d", ""})};
  EXPECT_EQ(read_feed_ready(ready.view())->samples, 50'000u);
  const LeaseRange range{1, 2, 1, {3, 44}, 16};
  EXPECT_EQ(*read_lease_range(Parsed{lease_frame(range)}.view()), range);
  const Parsed revoke{revoke_frame(range)};
  EXPECT_EQ(revoke.view().header.kind, FrameKind::kRevoke);
  EXPECT_EQ(*read_lease_range(revoke.view()), range);
  EXPECT_FALSE(read_lease_range(Parsed{lease_frame({1, 2, 1, {3, 44}, 0})}.view()).has_value());
  const Ack ack{1, 2, {3, 4}};
  EXPECT_EQ(*read_ack(Parsed{frame_of(ack)}.view()), ack);
}

TEST(Messages, EachFormOfCreditComesBack) {
  for (const Credit& credit : {Credit{.bytes = 1u << 20}, Credit{.place = 4096}, Credit{.place = 0},
                               Credit{.only = Unit{1, 7}}}) {
    auto back = read_credit(Parsed{frame_of(credit)}.view());
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, credit);
  }
}

TEST(Messages, FailuresRefusalsAndStatisticsComeBack) {
  const Parsed failed{frame_of(Failed{1, 2, 3, {4, 5}, 6, {7, 8}, "no JPEG"})};
  auto back = read_failed(failed.view());
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(back->unit, (Unit{4, 5}));
  EXPECT_EQ(back->worker, 6u);
  EXPECT_EQ(back->samples, (std::vector<std::uint64_t>{7, 8}));
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    const Parsed refusal{frame_of(Refusal{static_cast<ErrorCode>(i), "why"})};
    EXPECT_EQ(read_refusal(refusal.view())->code, static_cast<ErrorCode>(i));
  }
  Statistics statistics{document::make_object()};
  statistics.values.set("busy", document::make_integer(3));
  const Parsed second{frame_of(statistics)};
  EXPECT_EQ(document::write(read_statistics(second.view())->values), R"({"busy":3})");
}

TEST(Messages, EveryRoleComesBack) {
  for (const Role role : {Role::kReader, Role::kWorker, Role::kStream}) {
    const Parsed frame =
        with_body(FrameKind::kHello, R"({"role":")" + std::string(to_string(role)) + "\"}");
    EXPECT_EQ(read_hello_start(frame.view())->role, role);
  }
}

TEST(Messages, BodiesThatAreWrongNameTheMember) {
  const auto reason = [](std::string_view body) {
    auto hello = read_reader_hello(with_body(FrameKind::kHello, body).view());
    return hello ? "taken" : hello.error().message;
  };
  EXPECT_THAT(reason(""), testing::HasSubstr("hello of a reader"));
  EXPECT_THAT(reason("[]"), testing::HasSubstr("no object"));
  EXPECT_THAT(reason(R"({"role":"reader"})"), testing::HasSubstr("rank"));
  EXPECT_THAT(reason(R"({"role":"reader","rank":-1})"), testing::HasSubstr("rank"));
  EXPECT_THAT(reason(R"({"role":"reader","rank":4294967296})"), testing::HasSubstr("rank"));
  EXPECT_THAT(reason(R"({"role":"reader","token":1})"), testing::HasSubstr("token"));
  EXPECT_THAT(reason(R"({"role":"reader","rank":2,"ranks":2,"feed":"f","epoch":0,"batch":0,)"
                     R"("generation":0})"),
              testing::HasSubstr("below ranks"));
  EXPECT_FALSE(read_reader_hello(Parsed{ping_frame()}.view()).has_value());
}

// Whatever a body holds, reading it ends with a value or an error.
TEST(Messages, EveryTruncatedAndChangedBodyIsReadSafely) {
  const Schema schema{{{"x", DType::kF32, {4}}}};
  const std::string whole = frame_of(ReaderWelcome{5, 6, schema, 8, 1'000, 90, {{1, "a:1", "", ""}}});
  const Parsed parsed{whole};
  const FrameView view = parsed.view();
  const std::string body(reinterpret_cast<const char*>(view.body.data()), view.body.size());
  for (std::size_t length = 0; length < body.size(); ++length)
    EXPECT_FALSE(
        read_reader_welcome(with_body(FrameKind::kWelcome, body.substr(0, length)).view()).has_value());
  for (std::size_t at = 0; at < body.size(); ++at)
    for (const char other : {'0', '-', '"', '{', ']', '\0', '\xff'}) {
      std::string changed = body;
      changed[at] = other;
      static_cast<void>(read_reader_welcome(with_body(FrameKind::kWelcome, changed).view()));
    }
}

}  // namespace
}  // namespace evener::data::transport
