// A server whose handler says what it got, and the usual requests.
//
// Used by:  tests of this folder.
// Threads:  any.
// Fails:    fails the test.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "http/server/raw_client_test.h"
#include "http/server/server.h"

namespace evener::http {

// "POST /path query body".
inline void echo(Request request, const Reply& reply) {
  reply({.headers = {{"Content-Type", "text/plain"}},
         .body = request.method + " " + request.path + " " + request.query + " " + request.body});
}

inline std::unique_ptr<Server> serve(OnRequest on_request = echo, ServerOptions options = {}) {
  auto server = listen(std::move(options), std::move(on_request));
  EXPECT_TRUE(server) << server.error().message;
  return server ? std::move(*server) : nullptr;
}

inline std::string get(const std::string& path, const std::string& headers = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
}

inline std::string post(const std::string& path, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline std::string body_of(const std::string& answer) {
  const std::size_t head = answer.find("\r\n\r\n");
  return head == std::string::npos ? "" : answer.substr(head + 4);
}

inline int status_of(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

}  // namespace evener::http
