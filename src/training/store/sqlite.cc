#include "training/store/sqlite.h"

#include <sqlite3.h>

#include <atomic>
#include <cerrno>
#include <utility>

namespace evener::store {
namespace {

// The code of a failure that SQLite blames on the system.
ErrorCode system_code(int errno_value, ErrorCode otherwise) {
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::kNoSpace;
    case EACCES:
    case EPERM:
    case EROFS:
      return ErrorCode::kPermissionDenied;
    case ENOENT:
      return ErrorCode::kNotFound;
    default:
      return otherwise;
  }
}

ErrorCode code_of(int sqlite_code, int errno_value) {
  switch (sqlite_code & 0xff) {
    case SQLITE_FULL:
      return ErrorCode::kNoSpace;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return ErrorCode::kPermissionDenied;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::kCorrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kUnavailable;
    case SQLITE_CONSTRAINT:
      return ErrorCode::kAlreadyExists;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return system_code(errno_value, ErrorCode::kIo);
    default:
      return ErrorCode::kInternal;
  }
}

std::string_view advice(ErrorCode code) {
  if (code == ErrorCode::kNoSpace) return "; free space on its disk";
  if (code == ErrorCode::kPermissionDenied)
    return "; Evener must be allowed to write its home: choose another with --home";
  if (code == ErrorCode::kCorrupt)
    return "; move this file away to start with an empty store, or restore a copy of it";
  if (code == ErrorCode::kUnavailable) return "; another process keeps it locked, try again";
  return "";
}

}  // namespace

// ---- Statement -------------------------------------------------------------------------

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      statement_(std::exchange(other.statement_, nullptr)),
      bound_(other.bound_),
      bind_error_(other.bind_error_) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(database_, other.database_);
  std::swap(statement_, other.statement_);
  std::swap(bound_, other.bound_);
  std::swap(bind_error_, other.bind_error_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::restart() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  bound_ = 0;
  bind_error_ = SQLITE_OK;
  return *this;
}

Statement& Statement::bind(std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_, ++bound_, value);
  if (code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  const int code = sqlite3_bind_text64(statement_, ++bound_, value.data(), value.size(),
                                       SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) bind_error_ = code;
  return *this;
}

Result<bool> Statement::step() {
  if (bind_error_ != SQLITE_OK)
    return tl::unexpected<Error>(database_->error(bind_error_, "bind a value"));
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_);  // gives the read snapshot back
    return false;
  }
  Error error = database_->error(code, "use");
  sqlite3_reset(statement_);
  return tl::unexpected<Error>(std::move(error));
}

Status Statement::run() {
  while (true) {
    const Result<bool> row = step();
    if (!row) return tl::unexpected<Error>(row.error());
    if (!*row) return ok();
  }
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string_view Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes ? std::string_view(bytes, static_cast<std::size_t>(size)) : std::string_view();
}

// ---- Database --------------------------------------------------------------------------

Database::Database(std::filesystem::path file, sqlite3* handle)
    : file_(std::move(file)), handle_(handle) {}

Database::~Database() { sqlite3_close_v2(handle_); }

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file,
                                                 std::chrono::milliseconds busy) {
  sqlite3* handle = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int code = sqlite3_open_v2(file.c_str(), &handle, kFlags, nullptr);
  std::unique_ptr<Database> database(new Database(file, handle));
  if (code != SQLITE_OK) return tl::unexpected<Error>(database->error(code, "open"));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, static_cast<int>(busy.count()));
  return database;
}

Status Database::run(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected<Error>(error(code, "use"));
  return ok();
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return tl::unexpected<Error>(error(code, "prepare a statement for"));
  return Statement(*this, statement);
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

std::optional<CommitMark> Database::commit_mark() const {
  constexpr int kRegionBytes = 32'768;   // what SQLite maps at once
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr || file->pMethods->iVersion < 2)
    return std::nullopt;
  volatile void* region = nullptr;
  if (file->pMethods->xShmMap(file, 0, kRegionBytes, 0, &region) != SQLITE_OK || region == nullptr)
    return std::nullopt;
  const auto* words = static_cast<volatile std::uint64_t*>(region);
  CommitMark mark;
  for (std::size_t i = 0; i < mark.size(); ++i) mark[i] = words[i];
  std::atomic_thread_fence(std::memory_order_acquire);
  return mark;
}

Error Database::error(int code, std::string_view attempted) const {
  const int errno_value = handle_ ? sqlite3_system_errno(handle_) : ENOMEM;
  const ErrorCode ours = code_of(code, errno_value);
  const std::string what = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  return {ours, "cannot " + std::string(attempted) + " " + file_.string() + ": " + what +
                    std::string(advice(ours))};
}

}  // namespace evener::store
