#include "training/store/schema.h"

#include <array>

namespace evener::store {
namespace {

// Step i brings version i to version i + 1. A step that has been released never changes.
//
// A name may be used again once its job is deleted; `jobs.id` tells the generations apart, and
// every event belongs to one of them. AUTOINCREMENT: a row number is never used twice.
constexpr std::array<const char*, kSchemaVersion> kSteps{
    R"(
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
    )",
    // What lists show, sort and filter by stands in narrow rows, the whole job beside them; a
    // deleted job keeps its events and its number alone. An index ends with what filters read, so
    // that rows which they refuse are never fetched.
    R"(
    CREATE TABLE bodies(
      id   INTEGER PRIMARY KEY REFERENCES jobs(id),
      body TEXT    NOT NULL
    );
    INSERT INTO bodies SELECT id, body FROM jobs WHERE deleted = 0;
    ALTER TABLE jobs ADD COLUMN arn TEXT NOT NULL DEFAULT '';
    ALTER TABLE jobs ADD COLUMN secondary TEXT NOT NULL DEFAULT '';
    ALTER TABLE jobs ADD COLUMN training_end INTEGER;
    UPDATE jobs SET arn = json_extract(body, '$.arn'),
                    secondary = json_extract(body, '$.secondary'),
                    training_end = json_extract(body, '$.training_end_ms') WHERE deleted = 0;
    CREATE TABLE tags(
      key    TEXT    NOT NULL,
      value  TEXT    NOT NULL,
      job_id INTEGER NOT NULL REFERENCES jobs(id),
      PRIMARY KEY(key, value, job_id)
    ) WITHOUT ROWID;
    CREATE INDEX tags_by_job ON tags(job_id, key);
    INSERT INTO tags SELECT tag.key, tag.value, jobs.id
      FROM jobs, json_each(jobs.body, '$.spec.tags') AS tag WHERE deleted = 0;
    DROP INDEX jobs_by_creation;
    ALTER TABLE jobs DROP COLUMN body;
    CREATE INDEX jobs_by_creation ON jobs(created, id, modified, name) WHERE deleted = 0;
    CREATE INDEX jobs_by_status ON jobs(status, created, id, modified, name) WHERE deleted = 0;
    CREATE INDEX jobs_by_change ON jobs(modified, id, created, name) WHERE deleted = 0;
    )",
};

Result<std::int64_t> version_of(Database& database) {
  auto statement =
      database.prepare("SELECT value FROM meta WHERE name = 'schema_version'");
  if (!statement) return tl::unexpected<Error>(statement.error());
  const auto row = statement->step();
  if (!row) return tl::unexpected<Error>(row.error());
  return *row ? statement->integer(0) : 0;
}

Result<bool> has_meta(Database& database) {
  auto statement =
      database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'");
  if (!statement) return tl::unexpected<Error>(statement.error());
  return statement->step();
}

// One step under the write lock: another process may have taken it meanwhile.
Status take_step(Database& database) {
  RETURN_IF_ERROR(database.run("BEGIN IMMEDIATE"));
  RETURN_IF_ERROR(database.run(
      "CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL)"));
  const auto version = version_of(database);
  if (!version) return tl::unexpected<Error>(version.error());
  if (*version < kSchemaVersion) {
    RETURN_IF_ERROR(database.run(kSteps[static_cast<std::size_t>(*version)]));
    RETURN_IF_ERROR(database.run("INSERT OR REPLACE INTO meta VALUES('schema_version', " +
                                 std::to_string(*version + 1) + ")"));
  }
  return database.run("COMMIT");
}

}  // namespace

Status migrate(Database& database) {
  while (true) {
    const auto there = has_meta(database);
    if (!there) return tl::unexpected<Error>(there.error());
    const auto version = *there ? version_of(database) : Result<std::int64_t>(0);
    if (!version) return tl::unexpected<Error>(version.error());
    if (*version > kSchemaVersion)
      return failure(ErrorCode::kUnsupported,
                     "the store was written by a newer Evener (schema " +
                         std::to_string(*version) + ", this program knows " +
                         std::to_string(kSchemaVersion) + "); use that version, or another --home");
    if (*there && *version == kSchemaVersion) return ok();
    if (Status status = take_step(database); !status) {
      if (database.in_transaction()) (void)database.run("ROLLBACK");
      return status;
    }
  }
}

}  // namespace evener::store
