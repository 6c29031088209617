// An HTTP message as a value: what the server hands out, the client sends, SigV4 signs.
//
// Used by:  http/server, http/client, http/sigv4, storage/s3, control_plane, apps.
// Threads:  values and pure functions.
// Fails:    never.
// Source:   RFC 9110.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evener::http {

struct Header {
  std::string name;    // compared without regard to case
  std::string value;   // without white space around it
  bool operator==(const Header&) const = default;
};

class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> headers) : all_(headers) {}

  // The first of that name.
  std::optional<std::string_view> find(std::string_view name) const;
  void add(std::string_view name, std::string_view value);
  void reserve(std::size_t headers) { all_.reserve(headers); }
  void set(std::string_view name, std::string_view value);  // in place of all of that name
  void remove(std::string_view name);                       // all of that name
  const std::vector<Header>& all() const { return all_; }
  bool operator==(const Headers&) const = default;

 private:
  std::vector<Header> all_;
};

struct Request {
  std::string method = "GET";
  std::string path = "/";      // as on the wire: percent-encoded, without the query
  std::string query{};         // as on the wire, without '?'
  Headers headers{};
  std::string body{};
};

struct Response {
  int status = 200;
  Headers headers{};           // without Content-Length, Date, Connection: the server adds them
  std::string body{};
};

// Whether two names are the same header's.
bool same_name(std::string_view a, std::string_view b);

// Whether '/' stays as it is: in a path it does, in a key or value of a query it does not.
enum class Slash { kKept, kEncoded };
// All but letters, digits, '-', '.', '_' and '~' as %XX.
std::string percent_encode(std::string_view text, Slash slash);
// A '%' that no two hex digits follow stays. A '+' is a plus.
std::string percent_decode(std::string_view text);

}  // namespace evener::http
