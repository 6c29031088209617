#include "http/client/transfer.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <optional>

namespace evener::http {
namespace {

constexpr std::size_t kHeaderLimitBytes = 256u << 10;
constexpr std::size_t kLengthDigits = 18;
constexpr long kReceiveBufferBytes = 256L << 10;
constexpr long kSendBufferBytes = 256L << 10;
constexpr long kExpectWaitMillis = 1000;
constexpr long kSlowestBytesPerSecond = 1;

ErrorCode code_of(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SSL_CONNECT_ERROR: return ErrorCode::kUnavailable;
    case CURLE_OPERATION_TIMEDOUT: return ErrorCode::kTimedOut;
    case CURLE_PARTIAL_FILE:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_HTTP2:
    // What libcurl says of a header line beyond its own limit of 100 KiB.
    case CURLE_OUT_OF_MEMORY: return ErrorCode::kCorrupt;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: return ErrorCode::kPermissionDenied;
    case CURLE_URL_MALFORMAT: return ErrorCode::kInvalidArgument;
    case CURLE_ABORTED_BY_CALLBACK: return ErrorCode::kCancelled;
    default: return ErrorCode::kInternal;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

bool is_success(int status) { return status >= 200 && status < 300; }

// What libcurl's callbacks work on while one exchange lasts.
struct Transfer {
  const ClientOptions& options;
  const Exchange& exchange;
  Response response{};
  std::size_t header_bytes = 0;
  bool headers_seen = false;
  std::uint64_t sent = 0;
  std::optional<Error> error{};    // of a sink or source, or a limit

  bool fail(Error why) {
    if (!error) error = std::move(why);
    return false;
  }

  std::uint64_t body_length() const {
    return exchange.source.read ? exchange.source.length : exchange.request.body.size();
  }

  void begin_headers(std::string_view status_line) {
    response = Response{};
    const auto space = status_line.find(' ');
    response.status = 0;
    for (std::size_t i = space + 1; space != std::string_view::npos && i < status_line.size(); ++i) {
      if (status_line[i] < '0' || status_line[i] > '9' || response.status > 999) break;
      response.status = response.status * 10 + (status_line[i] - '0');
    }
  }

  bool take_header(std::string_view line) {
    header_bytes += line.size();
    if (header_bytes > kHeaderLimitBytes) {
      return fail({ErrorCode::kCorrupt, "the answer's headers are larger than " +
                                            std::to_string(kHeaderLimitBytes) + " bytes"});
    }
    if (line.starts_with("HTTP/")) {
      begin_headers(line);
      return true;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || headers_seen) return true;
    const auto name = trimmed(line.substr(0, colon));
    const auto value = trimmed(line.substr(colon + 1));
    if (same_name(name, "Content-Length") && !agrees_on_length(value))
      return fail({ErrorCode::kCorrupt, "the answer has no one length"});
    response.headers.add(name, value);
    return true;
  }

  // libcurl takes a length beyond 64 bits for none.
  bool agrees_on_length(std::string_view value) const {
    const bool number = !value.empty() && value.size() <= kLengthDigits &&
                        std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
    const auto earlier = response.headers.find("Content-Length");
    return number && (!earlier || *earlier == value);
  }

  bool finish_headers() {
    if (headers_seen) return true;
    headers_seen = true;
    if (!exchange.on_headers) return true;
    Status seen = exchange.on_headers(response);
    return seen ? true : fail(std::move(seen.error()));
  }

  bool take_body(std::span<const std::byte> bytes) {
    if (!finish_headers()) return false;
    if (exchange.sink && is_success(response.status)) {
      Status taken = exchange.sink(bytes);
      return taken ? true : fail(std::move(taken.error()));
    }
    if (response.body.size() + bytes.size() > options.body_limit_bytes) {
      return fail({ErrorCode::kLimitExceeded, "the answer is larger than " +
                                                  std::to_string(options.body_limit_bytes) +
                                                  " bytes"});
    }
    response.body.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  }

  // The number of bytes filled; nothing on an error.
  std::optional<std::size_t> fill(std::span<std::byte> buffer) {
    const std::uint64_t left = body_length() - sent;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size()));
    if (count == 0) return 0;
    if (exchange.source.read) {
      Status read = exchange.source.read(sent, buffer.first(count));
      if (!read) {
        fail(std::move(read.error()));
        return std::nullopt;
      }
    } else {
      std::memcpy(buffer.data(), exchange.request.body.data() + sent, count);
    }
    sent += count;
    return count;
  }
};

extern "C" {

std::size_t header_callback(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  return transfer.take_header({data, size * count}) ? size * count : 0;
}

std::size_t write_callback(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size * count);
  return transfer.take_body(bytes) ? bytes.size() : 0;
}

std::size_t read_callback(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const auto filled = transfer.fill({reinterpret_cast<std::byte*>(data), size * count});
  return filled ? *filled : CURL_READFUNC_ABORT;
}

int seek_callback(void* user, curl_off_t offset, int origin) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (origin != SEEK_SET || offset < 0) return CURL_SEEKFUNC_FAIL;
  transfer.sent = static_cast<std::uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

int progress_callback(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  const auto& transfer = *static_cast<const Transfer*>(user);
  return transfer.exchange.stop.stop_requested() ? 1 : 0;
}

}  // extern "C"

class HeaderList {
 public:
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { curl_slist_free_all(list_); }
  void add(const std::string& line) {
    if (curl_slist* longer = curl_slist_append(list_, line.c_str())) list_ = longer;
  }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

Status add_headers(const Exchange& exchange, HeaderList& list) {
  for (const Header& header : exchange.request.headers.all()) {
    for (const std::string& text : {header.name, header.value}) {
      if (std::ranges::any_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; }))
        return failure(ErrorCode::kInvalidArgument, "a header holds a line break");
    }
    // libcurl takes "Name;" for a header without a value.
    list.add(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
  }
  list.add(exchange.expect == Expect::kContinue ? "Expect: 100-continue" : "Expect:");
  if (!exchange.request.headers.find("Content-Type")) list.add("Content-Type:");
  if (!exchange.request.headers.find("Accept")) list.add("Accept:");
  return ok();
}

void set_limits(CURL* easy, const ClientOptions& options, const Exchange& exchange) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, options.connect_timeout.count());
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, options.stall_timeout.count());
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, exchange.time_limit.count());
  curl_easy_setopt(easy, CURLOPT_EXPECT_100_TIMEOUT_MS, kExpectWaitMillis);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, kSendBufferBytes);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_PROXY, options.proxy.c_str());
  if (!options.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
}

void set_callbacks(CURL* easy, Transfer& transfer) {
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header_callback);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write_callback);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, read_callback);
  curl_easy_setopt(easy, CURLOPT_READDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek_callback);
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, &transfer);
  if (!transfer.exchange.stop.stop_possible()) return;
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress_callback);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);
}

void set_method(CURL* easy, const Transfer& transfer) {
  const std::string& method = transfer.exchange.request.method;
  const std::uint64_t length = transfer.body_length();
  if (method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  if (length > 0 || method == "PUT" || method == "POST") {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(length));
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
}

}  // namespace

Result<std::unique_ptr<CurlHandle>> CurlHandle::make() {
  CURL* easy = curl_easy_init();
  if (easy == nullptr) return failure(ErrorCode::kNoSpace, "no memory for a connection");
  return std::unique_ptr<CurlHandle>(new CurlHandle(easy));
}

CurlHandle::~CurlHandle() { curl_easy_cleanup(easy_); }

Result<Response> CurlHandle::perform(const ClientOptions& options, const Exchange& exchange) {
  const Request& request = exchange.request;
  const std::string place = request.method + " " + exchange.origin + request.path;
  if (exchange.stop.stop_requested()) return failure(ErrorCode::kCancelled, place + ": stopped");
  HeaderList headers;
  if (Status added = add_headers(exchange, headers); !added)
    return failure_in(place, std::move(added.error()));
  Transfer transfer{.options = options, .exchange = exchange};
  // Keeps connections and the names it knows, forgets all else.
  curl_easy_reset(easy_);
  std::array<char, CURL_ERROR_SIZE> text{};
  const std::string url =
      exchange.origin + request.path + (request.query.empty() ? "" : "?" + request.query);
  curl_easy_setopt(easy_, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy_, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, text.data());
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers.get());
  set_limits(easy_, options, exchange);
  set_callbacks(easy_, transfer);
  set_method(easy_, transfer);
  if (exchange.resend == Resend::kNever) curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, 1L);
  const CURLcode code = curl_easy_perform(easy_);
  if (transfer.error) return failure_in(place, std::move(*transfer.error));
  if (code != CURLE_OK) {
    const std::string why = text[0] != '\0' ? text.data() : curl_easy_strerror(code);
    return failure(code_of(code), place + ": " + why);
  }
  if (!transfer.finish_headers()) return failure_in(place, std::move(*transfer.error));
  return std::move(transfer.response);
}

}  // namespace evener::http
