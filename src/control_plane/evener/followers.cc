#include "control_plane/evener/followers.h"

#include <algorithm>
#include <utility>

namespace evener::control_plane {
namespace {

// How soon news are seen; what an embedded view takes, too.
constexpr std::chrono::milliseconds kTurn{20};
// What one answer holds: more comes with the next.
constexpr following::ReadLimit kLimit{.events = 4096, .lines = 10'000, .line_bytes = 1u << 20,
                                      .samples = 10'000};

// A name becomes a part of a path: one that no job can have is not looked for.
bool can_be_a_name(std::string_view job) {
  return std::ranges::all_of(job, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

wire::Output output_of(const following::JobUpdate& update, const following::Position& position) {
  wire::Output output;
  output.value.set("Update", following::document_of(update));
  output.value.set("Position", following::document_of(position));
  return output;
}

}  // namespace

Followers::Followers(Stores& stores, const Clock& clock, FilesOf files)
    : stores_(stores), clock_(clock), files_(std::move(files)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Followers::~Followers() {
  release();
  thread_.request_stop();
}

void Followers::follow(Wish wish, Answer answer) {
  if (!can_be_a_name(wish.job))
    return answer(failure(ErrorCode::kNotFound, "no job " + wish.job));
  const MutexLock lock(mutex_);
  const auto wait = std::clamp(wish.wait, std::chrono::milliseconds(0), kLongestWait);
  const bool at_once = released_ || waiting_ >= kMostWaiting;
  ++waiting_;
  arrived_.push_back({.wish = std::move(wish), .answer = std::move(answer),
                      .until = clock_.monotonic_now() + (at_once ? kTurn * 0 : wait)});
  arrival_.notify_one();
}

void Followers::release() {
  const MutexLock lock(mutex_);
  released_ = true;
  arrival_.notify_one();
}

std::list<Followers::Waiting> Followers::take_arrived(const std::stop_token& stop, Others others) {
  std::unique_lock lock(mutex_);
  const auto news = [this] { return !arrived_.empty(); };
  if (others == Others::kWaiting)
    arrival_.wait_for(lock, stop, kTurn, news);
  else
    arrival_.wait(lock, stop, news);
  return std::exchange(arrived_, {});
}

bool Followers::attend(Waiting& one) {
  if (!store_) {
    auto store = stores_.take();
    if (!store) return one.answer(tl::unexpected<Error>(store.error())), true;
    store_.emplace(std::move(*store));
  }
  const bool first = !one.reader;
  if (first)
    one.reader.emplace(**store_, one.wish.job, files_(one.wish.job), one.wish.position);
  const auto update = one.reader->read(kLimit);
  if (!update) return one.answer(tl::unexpected<Error>(update.error())), true;
  // One that was deleted may have news of it left.
  if (first && update->empty()) {
    const auto job = (*store_)->find(one.wish.job);
    if (!job) return one.answer(tl::unexpected<Error>(job.error())), true;
  }
  bool over = clock_.monotonic_now() >= one.until;
  if (!over) {
    const MutexLock lock(mutex_);
    over = released_;
  }
  if (update->empty() && !over) return false;
  one.answer(output_of(*update, one.reader->position()));
  return true;
}

void Followers::run(const std::stop_token& stop) {
  std::list<Waiting> all;
  while (!stop.stop_requested() || !all.empty()) {
    all.splice(all.end(), take_arrived(stop, all.empty() ? Others::kNone : Others::kWaiting));
    const std::size_t answered = std::erase_if(all, [this](Waiting& one) { return attend(one); });
    if (answered == 0) continue;
    const MutexLock lock(mutex_);
    waiting_ -= answered;
  }
  for (Waiting& one : take_arrived(stop, Others::kNone)) attend(one);
}

}  // namespace evener::control_plane
