// The few things the store needs of SQLite, as values of ours. Private to store.
//
// Used by:  store.
// Threads:  one thread per Database.
// Fails:    with the code that says what to do: kNoSpace, kPermissionDenied, kCorrupt,
//           kUnavailable (locked too long), kIo; messages name the file.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace evener::store {

class Database;

// One prepared statement, used again and again: bind from left to right, step, read.
class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Forgets the last run and its values.
  Statement& restart();
  Statement& bind(std::int64_t value);
  // `value` must outlive the run.
  Statement& bind(std::string_view value);
  // Whether there is a row to read.
  Result<bool> step();
  // Runs to the end; for statements without rows.
  Status run();

  std::int64_t integer(int column) const;
  bool is_null(int column) const;
  // Valid until the next step or restart.
  std::string_view text(int column) const;

 private:
  friend class Database;
  Statement(Database& database, sqlite3_stmt* statement)
      : database_(&database), statement_(statement) {}

  Database* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
  int bind_error_ = 0;
};

// The head of the index that all connections to a database share: sqlite.org/walformat.html, 2.1.
using CommitMark = std::array<std::uint64_t, 6>;

class Database {
 public:
  // Opens or creates; waits up to `busy` for other processes.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& file,
                                                std::chrono::milliseconds busy);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Statements without rows or whose rows do not matter; several may be joined by ';'.
  Status run(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  std::int64_t last_row() const;
  // Whether a transaction is open: a failed statement may have ended it.
  bool in_transaction() const;

  // Of a database that writes a log ahead (PRAGMA journal_mode is "wal"), once it has been read
  // from: bytes that every commit changes, whichever process made it. To look at them takes no
  // lock and no system call.
  std::optional<CommitMark> commit_mark() const;

  // The error that SQLite reported last, in our words.
  Error error(int code, std::string_view attempted) const;

 private:
  Database(std::filesystem::path file, sqlite3* handle);

  const std::filesystem::path file_;
  sqlite3* handle_;
};

}  // namespace evener::store
