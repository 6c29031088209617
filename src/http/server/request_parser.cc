#include "http/server/request_parser.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>

namespace evener::http {
namespace beast = boost::beast;
using beast::error_code;
using BoostView = beast::string_view;
using beast::http::field;

namespace {

// A chunked body ends with five bytes, "0\r\n\r\n": the last four may always be waited for.
constexpr std::size_t kLeastChunkBytes = 5;
// Room for the headers that a client of AWS sends, and a few more.
constexpr std::size_t kUsualHeaders = 16;

std::string_view view(BoostView text) { return {text.data(), text.size()}; }

bool is_printable_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Refusal refusal_of(const error_code& found) {
  using beast::http::error;
  if (found == error::header_limit) return {431, "The headers are too large."};
  if (found == error::body_limit) return {413, "The body is too large."};
  if (found == error::bad_version) return {505, "The version of HTTP is not 1.0 or 1.1."};
  return {400, "The request is malformed."};
}

}  // namespace

class RequestParser::Machine : public beast::http::basic_parser<true> {
 public:
  explicit Machine(const ParserLimits& limits) : limits_(limits) {
    header_limit(limits.header_bytes);
    body_limit(limits.body_bytes);
    eager(false);
  }

  std::size_t feed(std::string_view bytes) {
    std::size_t used = got_some() ? 0 : empty_lines(bytes);
    while (!refused_ && !is_done() && used < bytes.size()) {
      const std::string_view left = bytes.substr(used);
      if (!got_some() && left == "\r") break;   // may be half of an empty line
      const bool head_before = !is_header_done();
      if (!head_before && chunked() && left.size() < kLeastChunkBytes) break;
      error_code error;
      const std::size_t taken = put({left.data(), left.size()}, error);
      used += taken;
      if (head_before) count_head(left.substr(0, taken));
      if (refused_) break;
      if (error == beast::http::error::need_more) {
        if (left.size() - taken >= limits_.header_bytes) refuse({431, "A line is too long."});
        break;
      }
      if (error) refuse(refusal_of(error));
      if (head_before && is_header_done() && !refused_) check_head();
    }
    return used;
  }

  State state() const {
    if (refused_) return State::kRefused;
    if (!got_some() || !is_header_done()) return State::kHead;
    return is_done() ? State::kDone : State::kBody;
  }

  Request request;
  Refusal refusal;
  std::uint64_t head_bytes = 0;
  bool http_1_0 = false;
  bool expects_continue = false;

 private:
  // Some clients send an empty line after a body; RFC 9112 section 2.2 skips it.
  static std::size_t empty_lines(std::string_view bytes) {
    std::size_t at = 0;
    while (bytes.substr(at).starts_with("\r\n")) at += 2;
    return at;
  }

  void refuse(const Refusal& why) {
    if (refused_) return;
    refused_ = true;
    refusal = why;
  }
  void refuse(const Refusal& why, error_code& error) {
    refuse(why);
    error = beast::http::error::bad_field;
  }

  void count_head(std::string_view bytes) {
    head_bytes += bytes.size();
    if (head_bytes > limits_.header_bytes) refuse({431, "The headers are too large."});
    // What Beast would join to the line before, another reader may take for a header.
    for (const std::string_view folded : {"\r\n ", "\r\n\t"}) {
      if (bytes.find(folded) != std::string_view::npos) {
        refuse({400, "A header goes on over a line's end."});
      }
    }
  }

  void check_head() {
    const auto count = [this](std::string_view name) {
      const auto& all = request.headers.all();
      return std::count_if(all.begin(), all.end(),
                           [&](const Header& header) { return same_name(header.name, name); });
    };
    if (http_1_0 ? count("Host") > 1 : count("Host") != 1) {
      return refuse({400, "There must be one Host header."});
    }
    const auto expect = request.headers.find("Expect");
    if (expect && !http_1_0) {
      if (!same_name(*expect, "100-continue")) {
        return refuse({417, "Only 100-continue can be expected."});
      }
      expects_continue = true;
    }
    if (!authority_.empty() && request.headers.find("Host") != authority_) {
      refuse({400, "The target names another host than the Host header."});
    }
  }

  void on_request_impl(beast::http::verb, BoostView method, BoostView target, int version,
                       error_code& error) override {
    http_1_0 = version == 10;
    request.headers.reserve(kUsualHeaders);
    request.method = view(method);
    std::string_view text = view(target);
    for (const std::string_view scheme : {"http://", "https://"}) {
      if (!text.starts_with(scheme)) continue;
      text.remove_prefix(scheme.size());
      authority_ = text.substr(0, text.find_first_of("/?"));
      text.remove_prefix(authority_.size());
      if (!text.starts_with('/')) return refuse({400, "The target has no path."}, error);
    }
    const bool of_server = text == "*" && request.method == "OPTIONS";
    if ((!text.starts_with('/') && !of_server) || !is_printable_ascii(text) ||
        text.find('#') != std::string_view::npos) {
      return refuse({400, "The target is not a path."}, error);
    }
    const std::size_t mark = std::min(text.find('?'), text.size());
    request.path = text.substr(0, mark);
    request.query = text.substr(std::min(mark + 1, text.size()));
  }

  void on_field_impl(field name, BoostView name_text, BoostView value, error_code& error) override {
    // A trailer may not add to what was checked before the body.
    if (is_header_done()) return;
    if (request.headers.all().size() >= limits_.headers) {
      return refuse({431, "There are too many headers."}, error);
    }
    if (name == field::content_length && (has_length_ || !is_number(view(value)))) {
      return refuse({400, "There must be one Content-Length, a number."}, error);
    }
    has_length_ |= name == field::content_length;
    if (name == field::transfer_encoding) {
      if (http_1_0) return refuse({400, "HTTP/1.0 has no Transfer-Encoding."}, error);
      if (!same_name(view(value), "chunked")) {
        return refuse({501, "The only Transfer-Encoding is chunked."}, error);
      }
    }
    request.headers.add(view(name_text), view(value));
  }

  std::size_t on_body_impl(BoostView body, error_code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  std::size_t on_chunk_body_impl(std::uint64_t, BoostView body, error_code& error) override {
    return on_body_impl(body, error);
  }

  void on_response_impl(int, BoostView, int, error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_chunk_header_impl(std::uint64_t, BoostView, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  const ParserLimits limits_;
  std::string authority_;
  bool refused_ = false;
  bool has_length_ = false;
};

RequestParser::RequestParser(const ParserLimits& limits)
    : machine_(std::make_unique<Machine>(limits)) {}
RequestParser::~RequestParser() = default;
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;

std::size_t RequestParser::feed(std::string_view bytes) { return machine_->feed(bytes); }
RequestParser::State RequestParser::state() const { return machine_->state(); }
const Refusal& RequestParser::refusal() const { return machine_->refusal; }
std::uint64_t RequestParser::bytes_held() const {
  return machine_->head_bytes + machine_->request.body.size();
}
bool RequestParser::keeps_alive() const { return machine_->keep_alive(); }
bool RequestParser::wants_continue() const { return machine_->expects_continue; }
bool RequestParser::is_http_1_0() const { return machine_->http_1_0; }
Request RequestParser::take() { return std::move(machine_->request); }

}  // namespace evener::http
