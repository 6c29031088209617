#include "data/transport/frame_input.h"

#include <sys/socket.h>

#include <cstring>

#include "data/transport/messages.h"

namespace evener::data::transport {
namespace {

// Gives `text` in pieces of a size that the test chooses.
class PieceStream final : public ByteStream {
 public:
  PieceStream(std::string text, std::size_t piece) : text_(std::move(text)), piece_(piece) {}
  int fd() const override { return -1; }
  Result<Progress> read(std::span<const iovec> into) override {
    if (at_ == text_.size()) return Progress{Progress::Kind::kEnd, 0};
    std::size_t left = std::min(piece_, text_.size() - at_);
    std::size_t moved = 0;
    for (const iovec& part : into) {
      const std::size_t bytes = std::min(left, part.iov_len);
      std::memcpy(part.iov_base, text_.data() + at_, bytes);
      at_ += bytes;
      left -= bytes;
      moved += bytes;
    }
    return Progress{Progress::Kind::kMoved, moved};
  }
  Result<Progress> write(std::span<const iovec>) override { return Progress{}; }

 private:
  const std::string text_;
  const std::size_t piece_;
  std::size_t at_ = 0;
};

class Collector final : public FrameSink {
 public:
  explicit Collector(bool places) : places_(places) {}
  Result<std::byte*> place_for(const FrameHeader& header) override {
    if (!places_ || header.kind != FrameKind::kData) return nullptr;
    place_ = FrameSink::new_chunk(wire_body_bytes(header)).value();
    return place_.get();
  }
  Status on_frame(const FrameView& frame) override {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(frame.body.data()) % kAlignment, 0u);
    bodies.emplace_back(reinterpret_cast<const char*>(frame.body.data()), frame.body.size());
    kept.push_back(place_ != nullptr ? std::exchange(place_, nullptr) : input->chunk());
    views.push_back(frame.body);
    return ok();
  }

  FrameInput* input = nullptr;
  std::vector<std::string> bodies;
  std::vector<std::shared_ptr<std::byte>> kept;
  std::vector<std::span<const std::byte>> views;

 private:
  const bool places_;
  std::shared_ptr<std::byte> place_;
};

std::string frames_of(std::vector<std::string>& bodies) {
  std::string text;
  for (std::size_t length : {0u, 1u, 63u, 64u, 65u, 1'000u, 5'000u, 0u, 20'000u, 3u}) {
    bodies.push_back(std::string(length, static_cast<char>('a' + bodies.size())));
    text += frame_bytes({.kind = FrameKind::kData}, bodies.back());
  }
  return text;
}

Status read_all(FrameInput& input, ByteStream& stream, FrameSink& sink) {
  while (true)
    if (auto read = input.read(stream, sink); !read) return read;
}

TEST(FrameInput, GivesTheSameFramesForEveryCutOfTheStream) {
  std::vector<std::string> bodies;
  const std::string text = frames_of(bodies);
  for (const bool places : {false, true})
    for (const Retention retention : {Retention::kConsumed, Retention::kRetained})
      for (std::size_t piece : {1u, 2u, 63u, 64u, 65u, 100u, 129u, 4'096u, 1'000'000u}) {
        if (places && retention == Retention::kRetained) continue;
        FrameInput input({.body_limit = 1u << 20,
                          .chunk_bytes = 4'096,
                          .read_ahead = places ? kHeaderBytes : 4'096,
                          .retention = retention});
        PieceStream stream(text, piece);
        Collector sink(places);
        sink.input = &input;
        EXPECT_EQ(read_all(input, stream, sink).error().message, "peer closed the connection");
        EXPECT_EQ(sink.bodies, bodies) << piece;
      }
}

TEST(FrameInput, RetainedFramesKeepTheirBytes) {
  std::vector<std::string> bodies;
  const std::string text = frames_of(bodies);
  FrameInput input({.body_limit = 1u << 20, .chunk_bytes = 4'096, .read_ahead = 4'096,
                    .retention = Retention::kRetained});
  PieceStream stream(text, 777);
  Collector sink(false);
  sink.input = &input;
  EXPECT_FALSE(read_all(input, stream, sink));
  for (std::size_t i = 0; i < bodies.size(); ++i)
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(sink.views[i].data()), sink.views[i].size()),
              bodies[i]);
}

TEST(FrameInput, AnEndInTheMiddleOfAFrameIsSaid) {
  const std::string text = frame_bytes({.kind = FrameKind::kFeed}, "body");
  for (std::size_t length = 1; length < text.size(); ++length) {
    FrameInput input({.body_limit = 1u << 20});
    PieceStream stream(text.substr(0, length), 1'000);
    Collector sink(false);
    sink.input = &input;
    EXPECT_EQ(read_all(input, stream, sink).error().message, "peer closed in the middle of a frame");
    EXPECT_TRUE(sink.bodies.empty());
  }
}

}  // namespace
}  // namespace evener::data::transport
