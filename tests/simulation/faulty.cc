#include "faulty.h"

namespace evener::simulation {
namespace {

// Runs `call` with `fault` around it; `error` is what a failing one answers.
template <class T>
Result<T> around(Fault fault, ErrorCode error, const std::function<Result<T>()>& call) {
  if (fault == Fault::kCrashBefore) throw Crash{};
  if (fault == Fault::kFailBefore) return failure(error, "injected before");
  Result<T> answer = call();
  if (fault == Fault::kCrashAfter) throw Crash{};
  if (fault == Fault::kFailAfter) return failure(error, "injected after");
  return answer;
}

}  // namespace

Result<std::vector<Status>> FaultyStore::commit(std::span<const jobs::JobEvent> events) {
  return around<std::vector<Status>>(faults_(), ErrorCode::kNoSpace,
                                     [&] { return inner_.commit(events); });
}

Result<std::vector<store::StoredEvent>> FaultyStore::events_after(std::int64_t row,
                                                                  std::size_t limit) {
  return around<std::vector<store::StoredEvent>>(
      faults_(), ErrorCode::kIo, [&] { return inner_.events_after(row, limit); });
}

// A failed start has not started anything; so only crashes come after it.
Status BorrowedBackend::start(const jobs::TrainingJob& job) {
  Fault fault = faults_();
  if (fault == Fault::kFailAfter) fault = Fault::kNone;
  return around<void>(fault, ErrorCode::kUnavailable, [&] { return inner_.start(job); });
}

void BorrowedBackend::stop(const std::string& job, backends::StopMode mode) {
  const Fault fault = faults_();
  if (fault == Fault::kCrashBefore) throw Crash{};
  inner_.stop(job, mode);
  if (fault == Fault::kCrashAfter) throw Crash{};
}

Status BorrowedBackend::release(const jobs::TrainingJob& job) {
  const Fault fault = faults_();
  if (fault != Fault::kCrashBefore) released_.insert(job.arn);  // one that fails is logged, no more
  return around<void>(fault, ErrorCode::kIo, [&] { return inner_.release(job); });
}

}  // namespace evener::simulation
