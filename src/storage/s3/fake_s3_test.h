// An S3 server in memory behind the client's seam: no sockets, every fault on demand. It checks
// signatures, checksums and preconditions as the real one does.
//
// Used by:  tests of this folder.
// Threads:  any; one request at a time.
// Fails:    as a server does, or as `fault` says.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "http/client/client.h"
#include "http/sigv4/sigv4.h"

namespace evener::storage {

struct Fault {
  // Answered in place of the real answer, if set.
  std::optional<http::Response> answer{};
  // The request is never seen, or its answer is lost.
  std::optional<Error> before{};
  std::optional<Error> after{};
  // So many bytes of the body come, then the connection breaks.
  std::optional<std::size_t> cut_after{};
  // This byte of the body arrives changed.
  std::optional<std::size_t> damaged{};
};

class FakeS3 final : public http::Client {
 public:
  explicit FakeS3(http::AccessKey key) : key_(std::move(key)) {}

  // Asked for each request; called without the lock.
  std::function<std::optional<Fault>(const http::Exchange&)> fault{};
  std::size_t page_size = 4;
  bool says_checksums = true;
  std::string region = "us-east-1";

  Result<http::Response> send(const http::Exchange& exchange) override;

  void put(const std::string& bucket_and_key, std::string text);
  std::optional<std::string> text(const std::string& bucket_and_key);
  std::size_t open_uploads();
  std::vector<std::string> log();                   // "GET /bucket/key?query"
  void begin_upload(const std::string& bucket_and_key, const std::string& initiated);

 private:
  struct Object {
    std::string bytes;
    std::string etag;
    std::string crc32;
  };
  struct Upload {
    std::string key;
    std::string initiated;
    std::map<int, Object> parts;
  };
  using Query = std::map<std::string, std::string>;

  http::Response answer(const http::Request& request, const std::string& body);
  http::Response list(const std::string& bucket, Query query);
  http::Response list_uploads(const std::string& bucket, Query query);
  http::Response get(const http::Request& request, const std::string& name);
  http::Response put_object(const http::Request& request, const std::string& name,
                            const std::string& body, Query query);
  http::Response complete(const http::Request& request, const std::string& name, Query query,
                          const std::string& body);
  static http::Response refusal(int status, const std::string& code);
  static Result<http::Response> deliver(const http::Exchange& exchange, http::Response response,
                                        const Fault& fault);

  // The region it was signed for; nothing if the signature is not ours.
  std::optional<std::string> signed_region(const http::Request& request) const;

  const http::AccessKey key_;
  Mutex mutex_;
  std::map<std::string, Object> objects_;           // "bucket/key"
  std::map<std::string, Upload> uploads_;
  std::vector<std::string> log_;
  int next_upload_ = 1;
};

}  // namespace evener::storage
