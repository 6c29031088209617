#include "control_plane/logs/streams.h"

#include <algorithm>
#include <utility>

#include "training/logs/logs.h"

namespace evener::control_plane {
namespace {

constexpr std::size_t kPage = 100;      // jobs read at once
constexpr std::size_t kMostPages = 20;   // in one call; then a page may be short

// The job's part of a stream's name or of the beginning of one; all of it where there is no '/'.
std::string_view job_part(std::string_view name) { return name.substr(0, name.find('/')); }

void add_matching(std::vector<Stream>& all, std::vector<Stream> some, std::string_view prefix) {
  for (Stream& stream : some)
    if (stream.name.starts_with(prefix)) all.push_back(std::move(stream));
}

}  // namespace

tl::unexpected<Error> no_such_group() {
  return failure(ErrorCode::kNotFound,
                 "ResourceNotFoundException: The specified log group does not exist.");
}

tl::unexpected<Error> no_such_stream() {
  return failure(ErrorCode::kNotFound,
                 "ResourceNotFoundException: The specified log stream does not exist.");
}

tl::unexpected<Error> invalid_parameter(std::string text) {
  return failure(ErrorCode::kInvalidArgument, "InvalidParameterException: " + std::move(text));
}

Status check_group(const document::Value& input) {
  std::string_view group = input.text_at("logGroupName");
  if (group.empty()) group = input.text_at("logGroupIdentifier");
  if (group.empty())
    return invalid_parameter("Exactly one of logGroupName and logGroupIdentifier must be specified.");
  if (group.starts_with("arn:")) {
    constexpr std::string_view kMark = ":log-group:";
    const std::size_t at = group.find(kMark);
    group = at == std::string_view::npos ? "" : group.substr(at + kMark.size());
    group = group.substr(0, group.find(':'));
  }
  if (group != kLogGroup) return no_such_group();
  return ok();
}

std::vector<Stream> streams_of(const jobs::TrainingJob& job, const LogOptions& options) {
  std::vector<Stream> streams;
  if (!job.launched) return streams;
  for (const jobs::Instance& instance : job.instances) {
    const std::string& host = instance.placement.host;
    streams.push_back({.name = logs::stream_name(job.spec.name, host, *job.launched),
                       .host = host,
                       .folder = options.folder(job.spec.name),
                       .created = *job.launched,
                       .last = job.last_modified,
                       .ended = job.ended()});
  }
  std::ranges::sort(streams, {}, &Stream::name);
  return streams;
}

Result<Stream> find_stream(store::Store& store, std::string_view name, const LogOptions& options) {
  const auto job = store.find(std::string(job_part(name)));
  if (!job && job.error().code == ErrorCode::kNotFound) return no_such_stream();
  if (!job) return tl::unexpected<Error>(job.error());
  for (Stream& stream : streams_of(*job, options))
    if (stream.name == name) return std::move(stream);
  return no_such_stream();
}

Result<StreamPage> read_streams(store::Store& store, const StreamQuery& query,
                                const LogOptions& options) {
  StreamPage page;
  if (query.prefix.find('/') != std::string::npos) {
    const auto job = store.find(std::string(job_part(query.prefix)));
    if (job) add_matching(page.streams, streams_of(*job, options), query.prefix);
    if (!job && job.error().code != ErrorCode::kNotFound) return tl::unexpected<Error>(job.error());
    return page;
  }
  jobs::JobQuery wanted = query.jobs;
  wanted.name_contains = query.prefix;
  wanted.limit = kPage;
  for (std::size_t pages = 0; pages < kMostPages && page.streams.size() < query.limit; ++pages) {
    wanted.limit = std::min(kPage, query.limit - page.streams.size());
    const auto found = store.page(wanted);
    if (!found) return tl::unexpected<Error>(found.error());
    for (const jobs::JobSummary& summary : found->jobs) {
      if (!summary.name.starts_with(query.prefix)) continue;
      const auto job = store.find(summary.name);
      if (job) add_matching(page.streams, streams_of(*job, options), query.prefix);
      if (!job && job.error().code != ErrorCode::kNotFound)
        return tl::unexpected<Error>(job.error());
    }
    page.next = wanted.after = found->next;
    if (!found->next) break;
  }
  return page;
}

Result<std::int64_t> integer_at(const document::Value& input, std::string_view name,
                                std::int64_t least, std::int64_t most, std::int64_t absent) {
  const document::Value* member = input.find(name);
  if (member == nullptr) return absent;
  if (member->kind != document::Kind::kInteger || member->integer < least || member->integer > most)
    return invalid_parameter(std::string(name) + " must be a whole number from " +
                             std::to_string(least) + " to " + std::to_string(most));
  return member->integer;
}

}  // namespace evener::control_plane
