#include "training/store/store.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "training/store/job_pages.h"
#include "training/store/schema.h"
#include "training/store/sqlite.h"

namespace evener::store {
namespace {

using jobs::JobEvent;
using jobs::TrainingJob;

constexpr std::chrono::milliseconds kBusy{10'000};   // a commit of others takes milliseconds
constexpr const char* kFileName = "evener.db";

// Job names are ASCII; two that differ only in case are one.
std::string key_of(std::string_view name) {
  std::string key(name);
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return key;
}

struct Statements {
  Statement begin, commit, rollback;
  Statement insert_event, insert_job, update_job, put_body, drop_body, drop_tags, put_tag;
  Statement stamp, load, list_newest, list_oldest, active;
  Statement events_after, events_of, events_of_after, last_row;
};

Result<Statements> prepare_all(Database& database) {
  Statements all;
  const std::string listed =
      "SELECT body FROM jobs JOIN bodies USING(id) WHERE deleted = 0 AND (?1 = '' OR status = ?1)"
      " AND (?2 = '' OR instr(lower(name), lower(?2)) > 0) ORDER BY created ";
  const std::vector<std::pair<Statement*, std::string>> texts{
      {&all.begin, "BEGIN IMMEDIATE"},
      {&all.commit, "COMMIT"},
      {&all.rollback, "ROLLBACK"},
      {&all.insert_event,
       "INSERT INTO events(job_id, job, time_ms, position, kind, body) VALUES(?,?,?,?,?,?)"},
      {&all.insert_job,
       "INSERT INTO jobs(name, status, created, modified, ended, deleted, last_row)"
       " VALUES(?,'',0,0,0,0,0)"},
      {&all.update_job,
       "UPDATE jobs SET status = ?, secondary = ?, arn = ?, created = ?, modified = ?,"
       " training_end = CASE WHEN ?6 < 0 THEN NULL ELSE ?6 END, ended = ?, deleted = ?,"
       " last_row = ? WHERE id = ?"},
      {&all.put_body, "INSERT OR REPLACE INTO bodies(id, body) VALUES(?,?)"},
      {&all.drop_body, "DELETE FROM bodies WHERE id = ?"},
      {&all.drop_tags, "DELETE FROM tags WHERE job_id = ?"},
      {&all.put_tag, "INSERT INTO tags(key, value, job_id) VALUES(?,?,?)"},
      {&all.stamp, "SELECT id, last_row FROM jobs WHERE name = ? AND deleted = 0"},
      {&all.load,
       "SELECT id, last_row, body FROM jobs JOIN bodies USING(id) WHERE name = ? AND deleted = 0"},
      {&all.list_newest, listed + "DESC, id DESC LIMIT ?3"},
      {&all.list_oldest, listed + "ASC, id ASC LIMIT ?3"},
      {&all.active, "SELECT body FROM jobs JOIN bodies USING(id) WHERE ended = 0 ORDER BY id"},
      {&all.events_after, "SELECT row, body FROM events WHERE row > ? ORDER BY row LIMIT ?"},
      {&all.events_of,
       "SELECT row, body FROM events WHERE job_id ="
       " (SELECT id FROM jobs WHERE name = ? ORDER BY id DESC LIMIT 1) ORDER BY row LIMIT ?"},
      {&all.events_of_after,
       "SELECT row, body FROM events WHERE job_id IN (SELECT id FROM jobs WHERE name = ?)"
       " AND row > ? ORDER BY row LIMIT ?"},
      {&all.last_row, "SELECT coalesce(max(row), 0) FROM events"}};
  for (const auto& [statement, text] : texts) {
    auto prepared = database.prepare(text);
    if (!prepared) return tl::unexpected<Error>(prepared.error());
    *statement = std::move(*prepared);
  }
  return all;
}

// A job's projection as of its last event.
struct Projection {
  std::int64_t id = 0;
  std::int64_t last_row = 0;
  TrainingJob job;
  bool tags_changed = false;   // since the last write
};

class SqliteStore final : public Store {
 public:
  SqliteStore(std::unique_ptr<Database> database, Statements statements)
      : database_(std::move(database)), sql_(std::move(statements)), pages_(*database_) {}

  Result<std::vector<Status>> commit(std::span<const JobEvent> events) override {
    if (events.empty()) return std::vector<Status>();
    std::map<std::string, Projection> touched;
    auto answers = commit_into(touched, events);
    if (!answers) {
      if (database_->in_transaction()) (void)sql_.rollback.restart().run();
      return answers;
    }
    for (auto& [key, projection] : touched) remember(key, std::move(projection));
    return answers;
  }

  Result<TrainingJob> find(const std::string& name) override {
    auto found = load(name);
    if (!found) return tl::unexpected<Error>(found.error());
    return std::move(found->job);
  }

  Result<std::vector<TrainingJob>> list(const ListFilter& filter) override {
    const std::string status = filter.status ? std::string(to_string(*filter.status)) : "";
    const auto limit = static_cast<std::int64_t>(
        std::min<std::size_t>(filter.limit, std::numeric_limits<std::int64_t>::max()));
    Statement& query = filter.newest_first ? sql_.list_newest : sql_.list_oldest;
    return read_jobs(query.restart().bind(status).bind(filter.name_contains).bind(limit));
  }

  Result<jobs::JobPage> page(const jobs::JobQuery& query) override { return pages_.read(query); }

  Result<std::vector<TrainingJob>> active() override { return read_jobs(sql_.active.restart()); }

  Result<std::vector<StoredEvent>> events_after(std::int64_t row, std::size_t limit) override {
    return read_events(sql_.events_after.restart().bind(row).bind(as_limit(limit)));
  }

  Result<std::vector<StoredEvent>> events_of(const std::string& job, std::int64_t row,
                                             std::size_t limit) override {
    if (row > 0)
      return read_events(sql_.events_of_after.restart().bind(job).bind(row).bind(as_limit(limit)));
    auto events = read_events(sql_.events_of.restart().bind(job).bind(as_limit(limit)));
    if (events && events->empty()) return failure(ErrorCode::kNotFound, "no job " + job);
    return events;
  }

  Result<std::int64_t> last_row() override {
    const auto row = sql_.last_row.restart().step();
    if (!row) return tl::unexpected<Error>(row.error());
    const std::int64_t last = sql_.last_row.integer(0);
    sql_.last_row.restart();
    return last;
  }

 private:
  static std::int64_t as_limit(std::size_t limit) {
    return static_cast<std::int64_t>(
        std::min<std::size_t>(limit, std::numeric_limits<std::int64_t>::max()));
  }

  // The transaction: events, then the projections they changed, then one sync.
  Result<std::vector<Status>> commit_into(std::map<std::string, Projection>& touched,
                                          std::span<const JobEvent> events) {
    RETURN_IF_ERROR(sql_.begin.restart().run());
    refused_.clear();
    std::vector<Status> answers;
    answers.reserve(events.size());
    for (const JobEvent& event : events) {
      auto answer = take(touched, event);
      if (!answer) return tl::unexpected<Error>(answer.error());
      answers.push_back(std::move(*answer));
    }
    for (auto& [key, projection] : touched) RETURN_IF_ERROR(write(projection));
    RETURN_IF_ERROR(sql_.commit.restart().run());
    return answers;
  }

  // Outer failure: the store's, and the transaction is lost. Inner: the event is refused.
  Result<Status> take(std::map<std::string, Projection>& touched, const JobEvent& event) {
    const std::string key = key_of(event.job);
    auto place = touched.find(key);
    if (place == touched.end()) {
      auto loaded = load(event.job);
      if (loaded) {
        place = touched.emplace(key, std::move(*loaded)).first;
      } else if (loaded.error().code != ErrorCode::kNotFound) {
        return tl::unexpected<Error>(loaded.error());
      }
    }
    const bool exists = place != touched.end();
    if (!std::holds_alternative<jobs::Submitted>(event.change) && belongs_to_refused(key, event))
      return Status(failure(ErrorCode::kAlreadyExists, "the job that it is about was refused"));
    refused_.clear();
    if (std::holds_alternative<jobs::Submitted>(event.change) && exists) {
      refused_ = key;
      return Status(failure(ErrorCode::kAlreadyExists,
                            "a job " + place->second.job.spec.name +
                                " exists already; choose another name or delete that job"));
    }
    if (std::holds_alternative<jobs::Submitted>(event.change))
      return insert_job(touched, key, event);
    if (!exists) return Status(failure(ErrorCode::kNotFound, "no job " + event.job));
    return append(touched, place, event);
  }

  // Notices that come with a submission follow it. If it was refused, they are not for the job that
  // has its name.
  bool belongs_to_refused(const std::string& key, const JobEvent& event) const {
    return key == refused_ && event.journal_position == 0 &&
           std::holds_alternative<jobs::Noticed>(event.change);
  }

  Result<Status> insert_job(std::map<std::string, Projection>& touched, const std::string& key,
                            const JobEvent& event) {
    auto job = jobs::create(event);
    if (!job) return Status(tl::unexpected<Error>(job.error()));
    if (job->spec.name != event.job)
      return Status(failure(ErrorCode::kInvalidArgument,
                            "event of job " + event.job + " submits job " + job->spec.name));
    RETURN_IF_ERROR(sql_.insert_job.restart().bind(event.job).run());
    const bool tagged = !job->spec.tags.empty();
    Projection projection{database_->last_row(), 0, std::move(*job), tagged};
    RETURN_IF_ERROR(write_event(projection, event));
    touched.emplace(key, std::move(projection));
    return ok();
  }

  Result<Status> append(std::map<std::string, Projection>& touched,
                        std::map<std::string, Projection>::iterator place,
                        const JobEvent& event) {
    Projection& projection = place->second;
    const bool imported = event.journal_position != 0 &&
                          event.journal_position <= projection.job.imported_position;
    if (imported) return ok();
    if (Status status = jobs::apply(projection.job, event); !status) return status;
    RETURN_IF_ERROR(write_event(projection, event));
    if (std::holds_alternative<jobs::TagsChanged>(event.change)) projection.tags_changed = true;
    if (projection.job.deleted) {  // its name is free from here on
      RETURN_IF_ERROR(write(projection));
      cached_.erase(place->first);
      touched.erase(place);
    }
    return ok();
  }

  Status write_event(Projection& projection, const JobEvent& event) {
    JobEvent stored = event;
    stored.job = projection.job.spec.name;  // as it was given first
    const std::string body = jobs::to_json(stored);
    RETURN_IF_ERROR(sql_.insert_event.restart()
                        .bind(projection.id)
                        .bind(stored.job)
                        .bind(to_millis(event.time))
                        .bind(static_cast<std::int64_t>(event.journal_position))
                        .bind(kind_of(event.change))
                        .bind(body)
                        .run());
    projection.last_row = database_->last_row();
    return ok();
  }

  Status write(Projection& projection) {
    const TrainingJob& job = projection.job;
    RETURN_IF_ERROR(sql_.update_job.restart()
                        .bind(to_string(job.status))
                        .bind(to_string(job.secondary))
                        .bind(job.arn)
                        .bind(to_millis(job.created))
                        .bind(to_millis(job.last_modified))
                        .bind(job.training_end ? to_millis(*job.training_end) : std::int64_t{-1})
                        .bind(std::int64_t{job.ended()})
                        .bind(std::int64_t{job.deleted})
                        .bind(projection.last_row)
                        .bind(projection.id)
                        .run());
    if (job.deleted) {
      RETURN_IF_ERROR(sql_.drop_tags.restart().bind(projection.id).run());
      return sql_.drop_body.restart().bind(projection.id).run();
    }
    if (projection.tags_changed) RETURN_IF_ERROR(write_tags(projection));
    const std::string body = jobs::to_json(job);
    return sql_.put_body.restart().bind(projection.id).bind(body).run();
  }

  Status write_tags(Projection& projection) {
    RETURN_IF_ERROR(sql_.drop_tags.restart().bind(projection.id).run());
    for (const auto& [key, value] : projection.job.spec.tags)
      RETURN_IF_ERROR(sql_.put_tag.restart().bind(key).bind(value).bind(projection.id).run());
    projection.tags_changed = false;
    return ok();
  }

  // A copy of the job's projection; decoded only where another process has written it since.
  Result<Projection> load(const std::string& name) {
    const auto stamped = sql_.stamp.restart().bind(name).step();
    if (!stamped) return tl::unexpected<Error>(stamped.error());
    const std::string key = key_of(name);
    const auto cached = cached_.find(key);
    const bool current = *stamped && cached != cached_.end() &&
                         cached->second.id == sql_.stamp.integer(0) &&
                         cached->second.last_row == sql_.stamp.integer(1);
    sql_.stamp.restart();
    if (current) return cached->second;
    if (cached != cached_.end()) cached_.erase(cached);
    if (!*stamped) return failure(ErrorCode::kNotFound, "no job " + name);
    return decode(name);
  }

  Result<Projection> decode(const std::string& name) {
    const auto found = sql_.load.restart().bind(name).step();
    if (!found) return tl::unexpected<Error>(found.error());
    if (!*found) return failure(ErrorCode::kNotFound, "no job " + name);
    auto job = jobs::job_from_json(sql_.load.text(2));
    Projection projection{sql_.load.integer(0), sql_.load.integer(1), {}, false};
    sql_.load.restart();
    if (!job) return failure_in("job " + name, job.error());
    projection.job = std::move(*job);
    return projection;
  }

  // Only jobs that go on are worth the memory.
  void remember(const std::string& key, Projection projection) {
    if (projection.job.ended())
      cached_.erase(key);
    else
      cached_.insert_or_assign(key, std::move(projection));
  }

  static Result<std::vector<TrainingJob>> read_jobs(Statement& query) {
    std::vector<TrainingJob> all;
    while (true) {
      const auto row = query.step();
      if (!row) return tl::unexpected<Error>(row.error());
      if (!*row) return all;
      auto job = jobs::job_from_json(query.text(0));
      if (!job) {
        query.restart();
        return tl::unexpected<Error>(job.error());
      }
      all.push_back(std::move(*job));
    }
  }

  static Result<std::vector<StoredEvent>> read_events(Statement& query) {
    std::vector<StoredEvent> all;
    while (true) {
      const auto row = query.step();
      if (!row) return tl::unexpected<Error>(row.error());
      if (!*row) return all;
      auto event = jobs::event_from_json(query.text(1));
      const std::int64_t number = query.integer(0);
      if (!event) {
        query.restart();
        return failure_in("event " + std::to_string(number), event.error());
      }
      all.push_back({number, std::move(*event)});
    }
  }

  std::unique_ptr<Database> database_;
  Statements sql_;
  JobPages pages_;
  std::string refused_;                       // key of the last event, a refused submission
  std::map<std::string, Projection> cached_;  // jobs that have not ended, as of last_row
};

// Switching a new file to write-ahead logging does not wait for another process that does the
// same; so wait here.
Status configure(Database& database, Synchronous synchronous) {
  constexpr std::chrono::milliseconds kPause{10};
  constexpr int kTries = static_cast<int>(kBusy / kPause);
  Status status = ok();
  for (int i = 0; i < kTries; ++i) {
    status = database.run("PRAGMA journal_mode = WAL");
    if (status || status.error().code != ErrorCode::kUnavailable) break;
    std::this_thread::sleep_for(kPause);
  }
  RETURN_IF_ERROR(status);
  constexpr const char* kWalBytes = "16777216";  // what is kept of a WAL file after a checkpoint
  RETURN_IF_ERROR(database.run(std::string("PRAGMA journal_size_limit = ") + kWalBytes));
  return database.run(synchronous == Synchronous::kFull ? "PRAGMA synchronous = FULL"
                                                        : "PRAGMA synchronous = OFF");
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.home, error);
  if (error) return errno_failure(error.value(), "make the home " + options.home.string());
  if (access(options.home.c_str(), W_OK | X_OK) != 0)
    return failure(ErrorCode::kPermissionDenied,
                   "the home " + options.home.string() + " cannot be written: " +
                       std::generic_category().message(errno) + "; choose another with --home");
  auto database = Database::open(options.home / kFileName, kBusy);
  if (!database) return tl::unexpected<Error>(database.error());
  RETURN_IF_ERROR(configure(**database, options.synchronous));
  RETURN_IF_ERROR(migrate(**database));
  auto statements = prepare_all(**database);
  if (!statements) return tl::unexpected<Error>(statements.error());
  return std::make_unique<SqliteStore>(std::move(*database), std::move(*statements));
}

Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& home) {
  return open_store(StoreOptions{.home = home});
}

}  // namespace evener::store
