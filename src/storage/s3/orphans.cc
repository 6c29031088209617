#include "storage/s3/orphans.h"

#include <charconv>

#include "storage/s3/xml.h"

namespace evener::storage {
namespace {

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  const char* begin = text.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + count, value);
  if (error != std::errc() || end != begin + count || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<WallTime> parse_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() < kForm.size() || text[10] != 'T') return std::nullopt;
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2);
  const auto minute = digits(text, 14, 2);
  const auto second = digits(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

void remove_orphans(Requests& requests, const Uri& object, WallTime before) {
  S3Request listing{.bucket = object.bucket};
  listing.query = {{"uploads", ""}, {"prefix", object.key}, {"encoding-type", "url"}};
  const Tried listed = requests.try_once(listing);
  if (!listed.answer) return;
  const auto uploads = parse_uploads(listed.answer->body);
  if (!uploads) return;
  for (const PendingUpload& upload : *uploads) {
    const auto begun = parse_time(upload.initiated);
    if (upload.key != object.key || !begun || *begun >= before) continue;
    S3Request removal{.method = "DELETE", .bucket = object.bucket, .key = object.key};
    removal.query = {{"uploadId", upload.id}};
    if (!requests.try_once(removal).answer) return;
  }
}

}  // namespace evener::storage
