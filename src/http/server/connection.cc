#include "http/server/connection.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "http/server/input_buffer.h"
#include "http/server/one_reply.h"
#include "http/server/response_text.h"

namespace evener::http {
namespace {

using boost::system::error_code;
using TlsStream = asio::ssl::stream<Socket>;

// After an answer to a request that was not read to its end, what still comes is thrown away for
// so long and so much: a socket closed with bytes unread would take the answer back.
constexpr std::chrono::milliseconds kLingerTime{2'000};
constexpr std::uint64_t kLingerBytes = 64u << 20;
// A connection that has not sent anything when the server drains may have bytes on the way.
constexpr std::chrono::milliseconds kFirstRequestGrace{1'000};

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Reads a request, hands it over, writes the answer, and again: one at a time, so that answers
// keep the order of pipelined requests. All calls on the worker's thread.
template <class Stream>
class ConnectionOver final : public Connection,
                             public ReplyTaker,
                             public std::enable_shared_from_this<ConnectionOver<Stream>> {
 public:
  template <class... More>
  ConnectionOver(std::shared_ptr<Worker> worker, std::shared_ptr<ServerState> state, Socket socket,
                 More&... more)
      : worker_(std::move(worker)),
        state_(std::move(state)),
        stream_(std::move(socket), more...),
        share_(state_->budget) {
    state_->count_opened();
  }
  ~ConnectionOver() override { state_->count_closed(); }

  void start() override {
    error_code ignored;
    socket().set_option(asio::ip::tcp::no_delay(true), ignored);
    socket().non_blocking(true, ignored);
    if constexpr (kIsTls) {
      limit_time(state_->options.header_timeout);
      stream_.async_handshake(TlsStream::server, [self = self()](const error_code& error) {
        if (self->phase_ == Phase::kClosed) return;
        if (error) return self->close();
        self->advance();
      });
    } else {
      advance();
    }
  }

  void end_time() override {
    deadline = MonotonicTime::max();
    if (phase_ != Phase::kReading || !parser_) return close();
    refuse({408, "The request took too long to come."});
    error_code ignored;
    socket().cancel(ignored);
    advance();
  }

  void drain() override {
    if (phase_ != Phase::kReading || parser_) return;
    if (!nothing_waits()) return;
    if (answered_any_) return close();
    limit_time(kFirstRequestGrace);
  }

  void close() override {
    if (phase_ == Phase::kClosed) return;
    phase_ = Phase::kClosed;
    error_code ignored;
    socket().close(ignored);
    share_.hold(0);
    worker_->remove(self());
  }

  void take_reply(Response response) override {
    if (phase_ != Phase::kAnswering || has_answer_) return;
    answer(is_well_formed(response) ? std::move(response)
                                    : refusal_response({500, "The answer is malformed."}));
    if (!advancing_) advance();
  }

  Worker& worker() override { return *worker_; }

 private:
  enum class Phase { kReading, kAnswering, kWriting, kContinuing, kLingering, kClosed };
  static constexpr bool kIsTls = std::is_same_v<Stream, TlsStream>;

  std::shared_ptr<ConnectionOver> self() { return this->shared_from_this(); }
  Socket& socket() {
    if constexpr (kIsTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }
  // Whether no byte has come that is not taken yet.
  bool nothing_waits() {
    error_code error;
    return input_.view().empty() && socket().available(error) == 0;
  }
  void limit_time(std::chrono::milliseconds limit) { worker_->set_deadline(*this, limit); }

  // Goes on until something must be waited for.
  void advance() {
    advancing_ = true;
    const auto alive = self();
    bool more = true;
    while (more) {
      switch (phase_) {
        case Phase::kReading: more = parse(); break;
        case Phase::kAnswering: more = has_answer_ && begin_write(); break;
        case Phase::kWriting:
        case Phase::kContinuing: more = write(); break;
        case Phase::kLingering: linger(); more = false; break;
        case Phase::kClosed: more = false; break;
      }
    }
    advancing_ = false;
  }

  // Takes what has come. Whether there is more to do at once.
  bool parse() {
    if (has_answer_) return begin_write();
    if (input_.view().empty()) return wait_for_bytes();
    const bool begins = !parser_;
    if (begins) parser_.emplace(state_->parser_limits);
    const bool had_head = parser_->state() != RequestParser::State::kHead;
    input_.drop(parser_->feed(input_.view()));
    share_.hold(parser_->bytes_held() + input_.bytes_beyond_least());
    switch (parser_->state()) {
      case RequestParser::State::kRefused: refuse(parser_->refusal()); return true;
      case RequestParser::State::kDone: hand_over(); return true;
      case RequestParser::State::kHead:
        if (begins) limit_time(state_->options.header_timeout);
        break;
      case RequestParser::State::kBody:
        if (!had_head) limit_time(state_->options.body_timeout);
        if (!had_head && parser_->wants_continue() && input_.view().empty()) {
          phase_ = Phase::kContinuing;
          unwritten_ = {asio::const_buffer(kContinue.data(), kContinue.size()), {}};
          return true;
        }
        break;
    }
    if (!state_->budget.has_room()) {
      refuse({503, "The server holds as much as it may; try again."});
      return true;
    }
    return wait_for_bytes();
  }

  bool wait_for_bytes() {
    if (!parser_) {
      if (state_->draining && answered_any_ && nothing_waits()) return close(), false;
      limit_time(state_->draining ? kFirstRequestGrace : state_->options.idle_timeout);
    }
    const bool in_body = parser_ && parser_->state() == RequestParser::State::kBody;
    const auto room = input_.room(in_body ? InputBuffer::kBodyRoom : InputBuffer::kLeast);
    stream_.async_read_some(asio::mutable_buffer(room.data(), room.size()),
                            [self = self()](const error_code& error, std::size_t bytes) {
                              self->on_read(error, bytes);
                            });
    return false;
  }

  void on_read(const error_code& error, std::size_t bytes) {
    if (phase_ != Phase::kReading) return;
    if (error) return close();
    input_.add(bytes);
    advance();
  }

  void hand_over() {
    if (!state_->budget.has_room()) {
      return refuse({503, "The server holds as much as it may; try again."});
    }
    deadline = MonotonicTime::max();
    phase_ = Phase::kAnswering;
    keep_alive_ = !parser_->keeps_alive()   ? KeepAlive::kNo
                  : parser_->is_http_1_0() ? KeepAlive::kYesAndSay
                                           : KeepAlive::kYes;
    Request request = parser_->take();
    head_only_ = request.method == "HEAD";
    state_->on_request(std::move(request), one_reply(self()));
  }

  void refuse(const Refusal& refusal) {
    keep_alive_ = KeepAlive::kNo;
    head_only_ = false;
    lingers_ = true;
    answer(refusal_response(refusal));
  }

  void answer(Response response) {
    response_ = std::move(response);
    has_answer_ = true;
  }

  bool begin_write() {
    has_answer_ = false;
    phase_ = Phase::kWriting;
    if (state_->draining && nothing_waits()) keep_alive_ = KeepAlive::kNo;
    head_ = head_text(response_, {.date = worker_->date(), .keep_alive = keep_alive_});
    const bool body = !head_only_ && !has_no_body(response_.status);
    unwritten_ = {asio::const_buffer(head_.data(), head_.size()),
                  body ? asio::const_buffer(response_.body.data(), response_.body.size())
                       : asio::const_buffer()};
    share_.hold(head_.size() + response_.body.size() + input_.bytes_beyond_least());
    return true;
  }

  // Writes at once what the socket takes; most answers fit.
  bool write() {
    if constexpr (!kIsTls) {
      error_code error;
      const std::size_t bytes = stream_.write_some(unwritten_, error);
      if (error && error != asio::error::would_block) return close(), false;
      if (!error) drop_written(bytes);
      if (asio::buffer_size(unwritten_) == 0) return end_write(), true;
    }
    limit_time(state_->options.write_timeout);
    asio::async_write(stream_, unwritten_, [self = self()](const error_code& error, std::size_t) {
      if (self->phase_ == Phase::kClosed) return;
      if (error) return self->close();
      self->end_write();
      self->advance();
    });
    return false;
  }

  void drop_written(std::size_t bytes) {
    for (asio::const_buffer& buffer : unwritten_) {
      const std::size_t here = std::min(bytes, buffer.size());
      buffer += here;
      bytes -= here;
    }
  }

  void end_write() {
    if (phase_ == Phase::kContinuing) {
      phase_ = Phase::kReading;
      limit_time(state_->options.body_timeout);
      return;
    }
    answered_any_ = true;
    response_ = {};
    head_.clear();
    parser_.reset();
    share_.hold(0);
    if (keep_alive_ != KeepAlive::kNo) {
      input_.give_back();
      phase_ = Phase::kReading;
      return;
    }
    error_code ignored;
    socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    if (!lingers_ && nothing_waits()) return close();
    phase_ = Phase::kLingering;
    limit_time(kLingerTime);
  }

  void linger() {
    input_.drop(input_.view().size());
    const auto room = input_.room(InputBuffer::kBodyRoom);
    socket().async_read_some(asio::mutable_buffer(room.data(), room.size()),
                             [self = self()](const error_code& error, std::size_t bytes) {
                               self->thrown_away_ += bytes;
                               if (error || self->thrown_away_ > kLingerBytes) {
                                 return self->close();
                               }
                               if (self->phase_ == Phase::kLingering) self->linger();
                             });
  }

  const std::shared_ptr<Worker> worker_;
  const std::shared_ptr<ServerState> state_;
  Stream stream_;
  MemoryBudget::Share share_;
  Phase phase_ = Phase::kReading;
  bool advancing_ = false;
  bool has_answer_ = false;
  bool head_only_ = false;
  bool lingers_ = false;
  bool answered_any_ = false;
  KeepAlive keep_alive_ = KeepAlive::kYes;
  InputBuffer input_;
  std::optional<RequestParser> parser_;
  Response response_;
  std::string head_;
  std::array<asio::const_buffer, 2> unwritten_;
  std::uint64_t thrown_away_ = 0;
};

}  // namespace

std::shared_ptr<Connection> make_connection(Socket socket, std::shared_ptr<Worker> worker,
                                            std::shared_ptr<ServerState> state) {
  return std::make_shared<ConnectionOver<Socket>>(std::move(worker), std::move(state),
                                                  std::move(socket));
}

std::shared_ptr<Connection> make_tls_connection(Socket socket, std::shared_ptr<Worker> worker,
                                                std::shared_ptr<ServerState> state,
                                                asio::ssl::context& tls) {
  return std::make_shared<ConnectionOver<TlsStream>>(std::move(worker), std::move(state),
                                                     std::move(socket), tls);
}

}  // namespace evener::http
