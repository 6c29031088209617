#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/store/schema.h"
#include "training/store/test_home_test.h"

namespace evener::store {
namespace {

using testing::ElementsAre;

std::string sql_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

// A file as schema 1 held it: every event, and each job as it stands after its own.
constexpr const char* kVersion1 = R"(
    CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL);
    INSERT INTO meta VALUES('schema_version', 1);
    CREATE TABLE jobs(
      id       INTEGER PRIMARY KEY AUTOINCREMENT,
      name     TEXT    NOT NULL COLLATE NOCASE,
      status   TEXT    NOT NULL,
      created  INTEGER NOT NULL,
      modified INTEGER NOT NULL,
      ended    INTEGER NOT NULL,
      deleted  INTEGER NOT NULL,
      last_row INTEGER NOT NULL,
      body     TEXT    NOT NULL
    );
    CREATE UNIQUE INDEX jobs_by_name ON jobs(name) WHERE deleted = 0;
    CREATE INDEX jobs_generations ON jobs(name, id);
    CREATE INDEX jobs_active ON jobs(id) WHERE ended = 0;
    CREATE INDEX jobs_by_creation ON jobs(created, id);
    CREATE TABLE events(
      row      INTEGER PRIMARY KEY AUTOINCREMENT,
      job_id   INTEGER NOT NULL REFERENCES jobs(id),
      job      TEXT    NOT NULL,
      time_ms  INTEGER NOT NULL,
      position INTEGER NOT NULL,
      kind     TEXT    NOT NULL,
      body     TEXT    NOT NULL
    );
    CREATE INDEX events_by_job ON events(job_id, row);
)";

void write_version_1_job(const TestHome& home, const std::vector<jobs::JobEvent>& events) {
  jobs::TrainingJob job = jobs::create(events.front()).value();
  for (std::size_t i = 1; i < events.size(); ++i)
    ASSERT_TRUE(jobs::apply(job, events[i]).has_value());
  const std::string id = "(SELECT coalesce(max(id), 0) FROM jobs)";
  run_sql(home.database(),
          "INSERT INTO jobs(name, status, created, modified, ended, deleted, last_row, body) VALUES(" +
              sql_text(job.spec.name) + "," + sql_text(std::string(to_string(job.status))) + "," +
              std::to_string(to_millis(job.created)) + "," +
              std::to_string(to_millis(job.last_modified)) + "," + std::to_string(job.ended()) +
              "," + std::to_string(job.deleted) + ",0," + sql_text(jobs::to_json(job)) + ")");
  for (const jobs::JobEvent& event : events)
    run_sql(home.database(),
            "INSERT INTO events(job_id, job, time_ms, position, kind, body) VALUES(" + id + "," +
                sql_text(event.job) + "," + std::to_string(to_millis(event.time)) + "," +
                std::to_string(event.journal_position) + "," +
                sql_text(std::string(kind_of(event.change))) + "," + sql_text(jobs::to_json(event)) + ")");
  run_sql(home.database(), "UPDATE jobs SET last_row = (SELECT max(row) FROM events) WHERE id = " + id);
}

std::vector<jobs::JobEvent> deleted_life_of(const std::string& name) {
  std::vector<jobs::JobEvent> events = life_of(name);
  events.push_back(event_of(name, jobs::Deleted{}, 1006));
  return events;
}

TEST(Schema, AFileOfVersion1IsBroughtUpToDateWithAllItHolds) {
  const TestHome home;
  std::filesystem::create_directories(home.path());
  run_sql(home.database(), kVersion1);
  write_version_1_job(home, deleted_life_of("a"));
  write_version_1_job(home, life_of("a"));
  jobs::JobEvent tagged = submission("b", 2000);
  std::get<jobs::Submitted>(tagged.change).spec.tags = {{"team", "it's"}, {"empty", ""}};
  write_version_1_job(home, {tagged});
  {
    auto store = home.open();
    EXPECT_EQ(differences_of(*store), "");
    EXPECT_EQ(store->find("A")->status, jobs::JobStatus::kCompleted);
    const auto page = store->page({.tags = {{"team", "it's"}, {"empty", std::nullopt}}}).value();
    ASSERT_EQ(page.jobs.size(), 1u);
    EXPECT_EQ(page.jobs[0].name, "b");
    EXPECT_EQ(page.jobs[0].arn, "arn-of-b");
    EXPECT_EQ(store->page({})->jobs[0].training_end, from_millis(1005));
    EXPECT_TRUE(commit_each(*store, {event_of("b", jobs::StopRequested{}), submission("c", 3000)}));
  }
  auto again = home.open();
  EXPECT_EQ(differences_of(*again), "");
  EXPECT_EQ(again->page({})->jobs.size(), 3u);
}

TEST(Schema, SeveralProcessesMayBringOneFileUpToDate) {
  const TestHome home;
  std::filesystem::create_directories(home.path());
  run_sql(home.database(), kVersion1);
  write_version_1_job(home, life_of("a"));
  std::vector<std::jthread> openers;
  for (int i = 0; i < 4; ++i) openers.emplace_back([&] { EXPECT_NE(home.open(), nullptr); });
  openers.clear();
  EXPECT_EQ(differences_of(*home.open()), "");
}

}  // namespace
}  // namespace evener::store
