#include "storage/s3_door/request_head.h"

#include <algorithm>
#include <charconv>

namespace evener::storage {
namespace {

constexpr std::uint64_t kLongestChunk = std::uint64_t{1} << 62;   // no server takes as much
constexpr std::size_t kLongestLine = 4'096;   // of what is kept of a chunk's size line or a trailer

tl::unexpected<Error> no_request() {
  return failure(ErrorCode::kInvalidArgument, "these bytes are no HTTP request");
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Status read_request_line(std::string_view line, http::Request& request) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || !line.substr(last).starts_with(" HTTP/1."))
    return no_request();
  request.method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const auto query = target.find('?');
  request.path = target.substr(0, query);
  if (query != std::string_view::npos) request.query = target.substr(query + 1);
  return ok();
}

template <int base>
Result<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end == text.data()) return no_request();
  return value;
}

Status read_framing(RequestHead& head) {
  const http::Headers& headers = head.request.headers;
  if (headers.find("Transfer-Encoding")) {
    head.framing = Framing::kChunked;
  } else if (const auto length = headers.find("Content-Length")) {
    const auto value = number<10>(*length);
    if (!value) return tl::unexpected(value.error());
    head.length = *value;
  }
  head.expects_continue = headers.find("Expect").has_value();
  return ok();
}

}  // namespace

Result<RequestHead> read_head(std::string_view bytes) {
  RequestHead head;
  auto end = bytes.find("\r\n");
  if (end == std::string_view::npos) return no_request();
  RETURN_IF_ERROR(read_request_line(bytes.substr(0, end), head.request));
  for (std::size_t at = end + 2; (end = bytes.find("\r\n", at)) != std::string_view::npos && end != at;
       at = end + 2) {
    const std::string_view line = bytes.substr(at, end - at);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return no_request();
    head.request.headers.add(line.substr(0, colon), trimmed(line.substr(colon + 1)));
  }
  RETURN_IF_ERROR(read_framing(head));
  return head;
}

std::size_t ChunkedBody::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && place_ != Place::kEnd) {
    if (place_ == Place::kData) {
      const auto some = std::min<std::uint64_t>(left_, bytes.size() - used);
      used += some;
      left_ -= some;
      if (left_ == 0) place_ = Place::kSize;
      continue;
    }
    const char c = bytes[used++];
    if (c == '\n') {
      end_line();
    } else if (c != '\r' && line_.size() < kLongestLine) {
      line_ += c;
    }
  }
  return used;
}

// A size that is none ends the body: the server refuses it and closes.
void ChunkedBody::end_line() {
  if (place_ == Place::kTrailer) {
    if (line_.empty()) place_ = Place::kEnd;
  } else {
    const auto size = number<16>(line_);
    const bool good = size && *size <= kLongestChunk;
    left_ = good ? *size + 2 : 0;
    place_ = !good ? Place::kEnd : *size == 0 ? Place::kTrailer : Place::kData;
  }
  line_.clear();
}

}  // namespace evener::storage
