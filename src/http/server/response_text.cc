#include "http/server/response_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

namespace evener::http {
namespace {

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= ' ' && byte != 0x7f) || byte == '\t';
  });
}

// Headers that say how the message ends are the server's alone.
bool is_framing(std::string_view name) {
  return same_name(name, "Content-Length") || same_name(name, "Transfer-Encoding") ||
         same_name(name, "Connection") || same_name(name, "Date");
}

void append_two(std::string& out, std::int64_t number) {
  if (number < 10) out.push_back('0');
  out.append(std::to_string(number));
}

}  // namespace

bool is_well_formed(const Response& response) {
  const auto& all = response.headers.all();
  return response.status >= 200 && response.status <= 599 &&
         std::all_of(all.begin(), all.end(), [](const Header& header) {
           return is_token(header.name) && is_value(header.value);
         });
}

bool has_no_body(int status) { return status == 204 || status == 304; }

std::string head_text(const Response& response, const Framing& framing) {
  std::string out;
  out.reserve(256);
  out.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  out.append(reason_phrase(response.status)).append("\r\n");
  for (const Header& header : response.headers.all()) {
    if (is_framing(header.name)) continue;
    out.append(header.name).append(": ").append(header.value).append("\r\n");
  }
  out.append("Date: ").append(framing.date).append("\r\n");
  if (!has_no_body(response.status)) {
    out.append("Content-Length: ").append(std::to_string(response.body.size())).append("\r\n");
  }
  if (framing.keep_alive == KeepAlive::kNo) out.append("Connection: close\r\n");
  if (framing.keep_alive == KeepAlive::kYesAndSay) out.append("Connection: keep-alive\r\n");
  return out.append("\r\n");
}

Response refusal_response(const Refusal& refusal) {
  Response response{.status = refusal.status,
                    .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
                    .body = std::string(refusal.why) + "\n"};
  if (refusal.status == 503) response.headers.add("Retry-After", "1");
  return response;
}

std::string http_date(WallTime time) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                     "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(seconds - day);
  std::string out(kDays[std::chrono::weekday(day).c_encoding()]);
  out.append(", ");
  append_two(out, static_cast<unsigned>(date.day()));
  out.append(" ").append(kMonths[static_cast<unsigned>(date.month()) - 1]).append(" ");
  out.append(std::to_string(static_cast<int>(date.year()))).append(" ");
  append_two(out, clock.hours().count());
  out.push_back(':');
  append_two(out, clock.minutes().count());
  out.push_back(':');
  append_two(out, clock.seconds().count());
  return out.append(" GMT");
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Unnamed";
  }
}

}  // namespace evener::http
