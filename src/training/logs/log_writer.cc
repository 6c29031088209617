#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <map>
#include <thread>

#include "base/mutex.h"
#include "training/logs/heard_lines.h"
#include "training/logs/last_words.h"
#include "training/logs/line_splitter.h"
#include "training/logs/log_file.h"
#include "training/logs/logs.h"

namespace evener::logs {
namespace {

constexpr int kPipeBytes = 1 << 20;
constexpr std::size_t kReadBytes = 1u << 20;
constexpr int kReadsPerTurn = 2;  // then the other hosts have their turn
constexpr int kMaxEvents = 16;
// With less than this read in a turn, the thread rests before the next: a program that prints
// line by line then costs at most 200 wake-ups a second, and a line is seen at once or 5 ms late.
constexpr std::size_t kBusyTurnBytes = 32u << 10;
constexpr int kRestMillis = 5;
constexpr int kYieldMillis = 1;  // left to other threads that wait for their turn
constexpr std::chrono::hours kMaxDrain{24};
constexpr int kTickMillis = 50;  // while an unfinished line or a note of lost lines waits

// One pipe and where it goes.
struct Stream {
  std::string host;
  LogFile* file = nullptr;
  std::unique_ptr<HeardLines> heard;    // where somebody listens
  LastWords* last = nullptr;
  os::UniqueFd pipe;
  LineSplitter splitter;

  RecordSink& sink() {
    if (heard) return *heard;
    return *file;
  }
};

class PipeLogWriter final : public LogWriter {
 public:
  PipeLogWriter(std::filesystem::path folder, const Clock& clock, LineListener* listener,
                os::UniqueFd epoll, os::UniqueFd wake)
      : folder_(std::move(folder)), clock_(clock), listener_(listener), epoll_(std::move(epoll)),
        wake_(std::move(wake)), buffer_(kReadBytes, '\0'),
        thread_([this](std::stop_token stop) { run(stop); }) {}
  ~PipeLogWriter() override;

  Status add_host(const std::string& host, os::UniqueFd pipe) override;
  void note(const std::string& host, std::string_view text) override;
  Status drain(std::chrono::milliseconds timeout) override;
  std::uint64_t lost_lines() const override;
  std::string last_words(const std::string& host) override;

 private:
  void run(const std::stop_token& stop);
  std::size_t serve(const epoll_event* events, int count) REQUIRES(mutex_);
  std::size_t pump(int fd) REQUIRES(mutex_);
  void end_stream(int fd, std::string_view last_words) REQUIRES(mutex_);
  void count_open(std::size_t streams);
  void tick() REQUIRES(mutex_);
  int wait_millis() const REQUIRES(mutex_);
  Result<LogFile*> file_of(const std::string& host) REQUIRES(mutex_);
  void add_note(LogFile& file, std::string_view text) REQUIRES(mutex_);
  Moment now() const { return {clock_.wall_now(), clock_.monotonic_now()}; }
  void wake() const;
  // Holds mutex_; the capture thread steps back for it even when pipes are always full.
  class Turn {
   public:
    explicit Turn(const PipeLogWriter& writer) : lock_((++writer.waiting_, writer.mutex_)) {
      --writer.waiting_;
    }

   private:
    MutexLock lock_;
  };

  const std::filesystem::path folder_;
  const Clock& clock_;
  LineListener* const listener_;
  const os::UniqueFd epoll_;
  const os::UniqueFd wake_;
  mutable Mutex mutex_;
  mutable std::atomic<int> waiting_{0};
  std::map<std::string, std::unique_ptr<LogFile>> files_ GUARDED_BY(mutex_);
  std::map<std::string, LastWords> last_ GUARDED_BY(mutex_);
  std::map<int, Stream> streams_ GUARDED_BY(mutex_);  // by descriptor
  std::string buffer_ GUARDED_BY(mutex_);
  std::uint64_t unwritten_notes_ GUARDED_BY(mutex_) = 0;
  Mutex open_mutex_;  // taken last; drain() waits on it without holding up the capture
  std::condition_variable_any open_changed_;
  std::size_t open_streams_ GUARDED_BY(open_mutex_) = 0;
  std::jthread thread_;
};

PipeLogWriter::~PipeLogWriter() {
  thread_.request_stop();
  wake();
  thread_.join();
  MutexLock lock(mutex_);
  while (!streams_.empty()) {
    pump(streams_.begin()->first);
    if (!streams_.empty()) end_stream(streams_.begin()->first, "");
  }
}

void PipeLogWriter::run(const std::stop_token& stop) {
  std::array<epoll_event, kMaxEvents> events{};
  int timeout = -1;
  while (!stop.stop_requested()) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), kMaxEvents, timeout);
    std::size_t bytes = 0;
    {
      MutexLock lock(mutex_);
      bytes = serve(events.data(), std::max(count, 0));
      tick();
      timeout = wait_millis();
    }
    if (waiting_ > 0) {
      ::poll(nullptr, 0, kYieldMillis);
    } else if (bytes > 0 && bytes < kBusyTurnBytes) {
      pollfd woken{.fd = wake_.get(), .events = POLLIN, .revents = 0};
      ::poll(&woken, 1, kRestMillis);
    }
  }
}

// Answers how many bytes were read.
std::size_t PipeLogWriter::serve(const epoll_event* events, int count) {
  std::size_t bytes = 0;
  for (int i = 0; i < count; ++i) {
    const int fd = events[i].data.fd;
    if (fd == wake_.get()) {
      std::uint64_t wakes = 0;
      (void)!::read(fd, &wakes, sizeof wakes);
    } else {
      bytes += pump(fd);
    }
  }
  return bytes;
}

// Reads what a pipe holds, at most kReadsPerTurn buffers of it, and writes it.
std::size_t PipeLogWriter::pump(int fd) {
  const auto found = streams_.find(fd);
  if (found == streams_.end()) return 0;
  Stream& stream = found->second;
  std::size_t bytes = 0;
  for (int reads = 0; reads < kReadsPerTurn;) {
    const ssize_t got = ::read(fd, buffer_.data(), buffer_.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) {
      end_stream(fd, "");
      return bytes;
    }
    ++reads;
    const auto length = static_cast<std::size_t>(got);
    stream.splitter.push(std::string_view(buffer_).substr(0, length), now(), stream.sink());
    stream.last->add(std::string_view(buffer_).substr(0, length));
    bytes += length;
  }
  stream.file->flush();
  if (stream.heard) listener_->rest();
  return bytes;
}

void PipeLogWriter::end_stream(int fd, std::string_view last_words) {
  const auto found = streams_.find(fd);
  Stream& stream = found->second;
  stream.splitter.finish(stream.sink());
  if (stream.heard) listener_->rest();
  if (!last_words.empty()) add_note(*stream.file, last_words);
  stream.file->flush();
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  streams_.erase(found);
  count_open(streams_.size());
}

void PipeLogWriter::count_open(std::size_t streams) {
  {
    MutexLock lock(open_mutex_);
    open_streams_ = streams;
  }
  open_changed_.notify_all();
}

void PipeLogWriter::tick() {
  for (auto& [fd, stream] : streams_) {
    if (!stream.splitter.hidden()) continue;
    stream.splitter.tick(now(), stream.sink());
    stream.file->flush();
  }
  for (auto& [host, file] : files_)
    if (file->owes_note()) file->flush();
}

int PipeLogWriter::wait_millis() const {
  for (const auto& [fd, stream] : streams_)
    if (stream.splitter.hidden()) return kTickMillis;
  for (const auto& [host, file] : files_)
    if (file->owes_note()) return kTickMillis;
  return -1;
}

Status PipeLogWriter::add_host(const std::string& host, os::UniqueFd pipe) {
  const Turn turn(*this);
  for (const auto& [fd, stream] : streams_)
    if (stream.host == host)
      return failure(ErrorCode::kAlreadyExists, host + " prints into an open pipe already");
  const Result<LogFile*> file = file_of(host);
  if (!file) return tl::unexpected(file.error());
  const int fd = pipe.get();
  // A pipe that stays smaller works too, with more switches between program and reader.
  (void)::fcntl(fd, F_SETPIPE_SZ, kPipeBytes);
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
    return errno_failure(errno, "read the output of " + host);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    return errno_failure(errno, "watch the output of " + host);
  auto heard = listener_ ? std::make_unique<HeardLines>(host, **file, *listener_) : nullptr;
  streams_.emplace(fd, Stream{host, *file, std::move(heard), &last_[host], std::move(pipe),
                              LineSplitter()});
  count_open(streams_.size());
  return ok();
}

Result<LogFile*> PipeLogWriter::file_of(const std::string& host) {
  const auto found = files_.find(host);
  if (found != files_.end()) return found->second.get();
  Result<std::unique_ptr<LogFile>> file = LogFile::open(folder_, host);
  if (!file) return tl::unexpected(file.error());
  return files_.emplace(host, std::move(*file)).first->second.get();
}

void PipeLogWriter::note(const std::string& host, std::string_view text) {
  const Turn turn(*this);
  const Result<LogFile*> file = file_of(host);
  if (!file) {
    ++unwritten_notes_;
    return;
  }
  add_note(**file, text);
  (*file)->flush();
  if ((*file)->owes_note()) wake();
}

// One record a line.
void PipeLogWriter::add_note(LogFile& file, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (std::string_view line = text.substr(0, end); !line.empty();) {
      const std::size_t length = std::min(line.size(), kMaxLineBytes);
      file.add(clock_.wall_now(), Mark::kNote, line.substr(0, length));
      line.remove_prefix(length);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

Status PipeLogWriter::drain(std::chrono::milliseconds timeout) {
  {
    MutexLock lock(open_mutex_);
    open_changed_.wait_for(open_mutex_, std::min<std::chrono::milliseconds>(timeout, kMaxDrain),
                           [&] { return open_streams_ == 0; });
  }
  const Turn turn(*this);
  std::string open;
  while (!streams_.empty()) {
    const int fd = streams_.begin()->first;
    open += (open.empty() ? "" : ", ") + streams_.begin()->second.host;
    pump(fd);
    if (streams_.contains(fd))
      end_stream(fd, "evener: output closed; a process that was left behind still holds it");
  }
  std::uint64_t unsaid = 0;
  for (auto& [host, file] : files_) {
    file->flush();
    if (file->owes_note()) ++unsaid;
  }
  if (unsaid > 0)
    return failure(ErrorCode::kNoSpace, "lines were lost in the logs in " + folder_.string() +
                                            ": no space; free some for the next job");
  if (!open.empty())
    return failure(ErrorCode::kTimedOut,
                   "processes left behind kept the output of " + open + " open; it was closed");
  return ok();
}

std::uint64_t PipeLogWriter::lost_lines() const {
  const Turn turn(*this);
  std::uint64_t lost = unwritten_notes_;
  for (const auto& [host, file] : files_) lost += file->lost_lines();
  return lost;
}

std::string PipeLogWriter::last_words(const std::string& host) {
  const Turn turn(*this);
  // What a program that has ended printed is in its pipe: a turn's reads take all of it.
  const auto open = std::ranges::find_if(
      streams_, [&](const auto& stream) { return stream.second.host == host; });
  if (open != streams_.end()) pump(open->first);
  return last_[host].text();
}

void PipeLogWriter::wake() const {
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

}  // namespace

Result<std::unique_ptr<LogWriter>> make_log_writer(const std::filesystem::path& folder,
                                                   const Clock& clock, LineListener* listener) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return errno_failure(error.value(), "create " + folder.string());
  os::UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  os::UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll || !wake) return errno_failure(errno, "watch pipes");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake.get();
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake.get(), &event) != 0)
    return errno_failure(errno, "watch pipes");
  return std::make_unique<PipeLogWriter>(folder, clock, listener, std::move(epoll),
                                         std::move(wake));
}

}  // namespace evener::logs
