// Moves objects with storage/s3, as staging and upload do, and says what it took:
//   s3_driver get URI FILE | put FILE URI | get-many PREFIX FOLDER | put-many FOLDER PREFIX
// with the access of AWS's environment variables. Prints one JSON object.
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "storage/s3/s3.h"

namespace {

using namespace evener;
using storage::Uri;

constexpr std::size_t kThreads = 8;
constexpr std::size_t kPieceBytes = 1u << 20;

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> found;
  for (const char* name : {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID",
                           "AWS_SECRET_ACCESS_KEY", "AWS_REGION"})
    if (const char* value = std::getenv(name)) found[name] = value;
  return found;
}

Status put(storage::ObjectStore& store, os::FileSystem& files, const std::string& path,
           const Uri& object, std::atomic<std::uint64_t>& bytes) {
  auto source = files.open(path);
  if (!source) return tl::unexpected(source.error());
  auto target = store.create(object);
  if (!target) return tl::unexpected(target.error());
  std::vector<std::byte> piece(kPieceBytes);
  for (std::uint64_t offset = 0;;) {
    auto got = (*source)->read_at(offset, piece);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return (*target)->close();
    RETURN_IF_ERROR((*target)->append(std::span(piece).first(*got)));
    offset += *got;
    bytes += *got;
  }
}

struct Work {
  std::function<Status(std::size_t)> one;
  std::size_t count = 1;
};

Status run(const Work& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  Status status;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::min(kThreads, work.count); ++i) {
    threads.emplace_back([&] {
      for (std::size_t at = next++; at < work.count && !failed; at = next++) {
        Status done = work.one(at);
        if (!done && !failed.exchange(true)) status = std::move(done);
      }
    });
  }
  threads.clear();
  return status;
}

Status move_objects(const std::string& what, const std::string& from, const std::string& to,
                    storage::ObjectStore& store, std::atomic<std::uint64_t>& bytes) {
  const auto files = os::make_real_file_system();
  const auto count = [&](std::uint64_t more) { bytes += more; };
  if (what == "get") {
    return store.fetch(storage::parse_uri(from).value(), *files, to, {.arrived = count});
  }
  if (what == "put") return put(store, *files, from, storage::parse_uri(to).value(), bytes);
  if (what == "get-many") {
    const auto objects = store.list(storage::parse_uri(from).value());
    if (!objects) return tl::unexpected(objects.error());
    return run({[&](std::size_t i) {
                  const storage::StoredObject& object = (*objects)[i];
                  return store.fetch(storage::parse_uri(object.uri).value(), *files,
                                     to + "/" + object.key, {.size = object.size, .arrived = count});
                },
                objects->size()});
  }
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(from))
    names.push_back(entry.path().filename());
  return run({[&](std::size_t i) {
                return put(store, *files, from + "/" + names[i],
                           storage::parse_uri(to + "/" + names[i]).value(), bytes);
              },
              names.size()});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: s3_driver get|put|get-many|put-many FROM TO\n");
    return 2;
  }
  const SystemClock clock;
  SystemRandom random;
  const auto access = storage::access_from(environment());
  if (!access || !*access) {
    std::fprintf(stderr, "set AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\n");
    return 2;
  }
  const auto client = http::make_client({});
  const auto store = storage::make_s3_store(
      {.access = [&] { return Result<storage::S3Access>(**access); }},
      {.client = *client, .clock = clock, .random = random, .pause = storage::real_pause()});
  std::atomic<std::uint64_t> bytes{0};
  const auto begin = clock.monotonic_now();
  const Status moved = move_objects(argv[1], argv[2], argv[3], *store, bytes);
  const std::chrono::duration<double> seconds = clock.monotonic_now() - begin;
  if (!moved) {
    std::fprintf(stderr, "s3_driver: %s\n", moved.error().message.c_str());
    return 1;
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto cpu = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  std::printf("{\"seconds\": %.3f, \"cpu_seconds\": %.3f, \"bytes\": %llu, \"peak_kib\": %ld}\n",
              seconds.count(), cpu(usage.ru_utime) + cpu(usage.ru_stime),
              static_cast<unsigned long long>(bytes.load()), usage.ru_maxrss);
  return 0;
}
