// Signed requests to the endpoint: redirects followed, refusals named, failures tried again.
//
// Used by:  listing, reading, download, upload, store.
// Threads:  shared.
// Fails:    as s3.h says; messages name method and object.
#pragma once

#include <condition_variable>
#include <map>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "storage/s3/retry.h"
#include "storage/s3/route.h"
#include "storage/s3/s3.h"

namespace evener::storage {

using Query = std::vector<std::pair<std::string, std::string>>;   // not encoded

struct S3Request {
  std::string method = "GET";
  std::string bucket;
  std::string key{};
  Query query{};
  http::Headers headers{};
  std::string body{};
  http::BodySource source{};
  std::function<Status(const http::Response&)> on_headers{};
  http::BodySink sink{};
  std::stop_token stop{};
};

// One try. `again`: it may succeed when repeated.
struct Tried {
  Result<http::Response> answer;
  bool again = false;
  Pace pace = Pace::kNormal;
};

class Requests {
 public:
  Requests(S3Options options, S3Parts parts);

  // Until it succeeds, is refused, or patience ends. Not for requests with a sink.
  Result<http::Response> send(const S3Request& request);
  // The number of tries that send() needed is added to `tries`.
  Result<http::Response> send(const S3Request& request, int& tries);

  Tried try_once(const S3Request& request);
  Patience patience() const { return Patience(options_.retry, parts_.clock); }
  // Whether to try again, after a wait; not when asked to stop.
  bool wait(Patience& patience, const Tried& tried, const std::stop_token& stop);
  void succeeded();
  bool stopped(const std::stop_token& stop) const {
    return stop.stop_requested() || options_.stop.stop_requested();
  }

  Result<std::string> presign(const std::string& bucket, const std::string& key,
                              std::chrono::seconds valid);
  Result<S3Access> access();

  const Clock& clock() const { return parts_.clock; }
  std::size_t connections() const { return options_.connections; }

 private:
  struct Reply {
    Tried tried;
    std::optional<Route> elsewhere;      // where to try at once
  };
  Result<Route> route(const std::string& bucket);
  http::Exchange exchange_of(const S3Request& request, const Route& route, const S3Access& access,
                             const std::stop_token& stop);
  Reply judge(const S3Request& request, const Route& route, Result<http::Response> answer);
  std::optional<Route> redirect(const S3Request& request, const Route& route,
                                const http::Response& response);
  void say_trouble(const std::string& why);

  const S3Options options_;
  const S3Parts parts_;
  std::counting_semaphore<> slots_;
  Mutex mutex_;
  std::optional<S3Access> access_ GUARDED_BY(mutex_);
  std::map<std::string, Route> moved_ GUARDED_BY(mutex_);    // buckets that live elsewhere
  bool in_trouble_ GUARDED_BY(mutex_) = false;
};

std::string place_of(const S3Request& request);

// Asked to stop when either of two is.
class EitherStop {
 public:
  EitherStop(const std::stop_token& one, const std::stop_token& other)
      : of_one_(one, Ask{&source_}), of_other_(other, Ask{&source_}) {}
  std::stop_token token() const { return source_.get_token(); }

 private:
  struct Ask {
    std::stop_source* source;
    void operator()() const { source->request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Ask> of_one_;
  std::stop_callback<Ask> of_other_;
};

}  // namespace evener::storage
