#include "http/server/one_reply.h"

#include <atomic>

#include "http/server/response_text.h"

namespace evener::http {
namespace {

class PendingReply {
 public:
  explicit PendingReply(std::shared_ptr<ReplyTaker> taker) : taker_(std::move(taker)) {}
  PendingReply(const PendingReply&) = delete;
  PendingReply& operator=(const PendingReply&) = delete;
  ~PendingReply() { give(refusal_response({500, "The request was not answered."})); }

  void give(Response response) {
    if (given_.exchange(true)) return;
    const std::shared_ptr<ReplyTaker> taker = std::move(taker_);
    Worker& worker = taker->worker();
    if (worker.is_current_thread()) return taker->take_reply(std::move(response));
    worker.post([taker, answer = std::move(response)]() mutable {
      taker->take_reply(std::move(answer));
    });
  }

 private:
  std::atomic<bool> given_{false};
  std::shared_ptr<ReplyTaker> taker_;
};

}  // namespace

Reply one_reply(std::shared_ptr<ReplyTaker> taker) {
  return [pending = std::make_shared<PendingReply>(std::move(taker))](Response response) {
    pending->give(std::move(response));
  };
}

}  // namespace evener::http
