#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "training/store/sqlite.h"
#include "training/store/store.h"

namespace evener::store {
namespace {

constexpr std::chrono::milliseconds kBusy{10'000};

class SqliteChangeFeed final : public ChangeFeed {
 public:
  enum class Journal { kLog, kOther };
  SqliteChangeFeed(std::unique_ptr<Database> database, Journal journal, Statement version,
                   Statement last, Statement after)
      : database_(std::move(database)), journal_(journal), version_(std::move(version)),
        last_(std::move(last)), after_(std::move(after)) {}

  // The mark is looked at before the version is read: what is committed in between changes it for
  // the next call.
  Result<std::int64_t> version() override {
    const auto mark = journal_ == Journal::kLog ? database_->commit_mark() : std::nullopt;
    if (mark && seen_mark_ == mark) return seen_version_;
    const auto version = number(version_);
    if (!version) return version;
    seen_mark_ = mark;
    seen_version_ = *version;
    return version;
  }
  Result<std::int64_t> last_row() override { return number(last_); }

  Result<std::vector<ChangedJob>> after(std::int64_t row, std::size_t limit) override {
    const auto most = static_cast<std::int64_t>(
        std::min<std::size_t>(limit, std::numeric_limits<std::int64_t>::max()));
    after_.restart().bind(row).bind(most);
    std::vector<ChangedJob> changes;
    while (true) {
      const auto found = after_.step();
      if (!found) return tl::unexpected<Error>(found.error());
      if (!*found) return changes;
      changes.push_back({after_.integer(0), std::string(after_.text(1))});
    }
  }

 private:
  static Result<std::int64_t> number(Statement& query) {
    const auto row = query.restart().step();
    if (!row) return tl::unexpected<Error>(row.error());
    const std::int64_t value = query.integer(0);
    query.restart();
    return value;
  }

  std::unique_ptr<Database> database_;
  const Journal journal_;
  std::optional<CommitMark> seen_mark_;
  std::int64_t seen_version_ = 0;
  Statement version_;
  Statement last_;
  Statement after_;
};

}  // namespace

Result<std::unique_ptr<ChangeFeed>> open_change_feed(const std::filesystem::path& home) {
  auto database = Database::open(home / "evener.db", kBusy);
  if (!database) return tl::unexpected<Error>(database.error());
  auto mode = (*database)->prepare("PRAGMA journal_mode");
  if (!mode) return tl::unexpected<Error>(mode.error());
  const auto row = mode->step();
  if (!row) return tl::unexpected<Error>(row.error());
  const auto journal = *row && mode->text(0) == "wal" ? SqliteChangeFeed::Journal::kLog
                                                      : SqliteChangeFeed::Journal::kOther;
  auto version = (*database)->prepare("PRAGMA data_version");
  if (!version) return tl::unexpected<Error>(version.error());
  auto last = (*database)->prepare("SELECT coalesce(max(row), 0) FROM events");
  if (!last) return tl::unexpected<Error>(last.error());
  auto after = (*database)->prepare("SELECT row, job FROM events WHERE row > ? ORDER BY row LIMIT ?");
  if (!after) return tl::unexpected<Error>(after.error());
  return std::make_unique<SqliteChangeFeed>(std::move(*database), journal, std::move(*version),
                                            std::move(*last), std::move(*after));
}

}  // namespace evener::store
