#include "storage/s3_server/s3_server.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>

#include "os/temporary_folder_test.h"
#include "storage/s3_server/seaweed.h"
#include "storage/s3_server/weed_test.h"
#include "storage/store_contract_test.h"

namespace evener::storage {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kUp{60'000};

// One server for all tests here: it takes seconds to come up.
class Seaweed : public testing::Test {
 public:
  static void SetUpTestSuite() {
    if (weed_program().empty()) return;
    running = new Running;
  }
  static void TearDownTestSuite() {
    delete running;
    running = nullptr;
  }

  struct Running {
    os::TemporaryFolder folder;
    std::unique_ptr<os::FileSystem> files = os::make_real_file_system();
    SystemClock clock;
    SystemRandom random;
    std::unique_ptr<S3Server> server =
        S3Server::start({.program = weed_program(), .folder = folder.path() / "s3", .bucket = "own",
                         .access_file = folder.path() / "access.json",
                         .key = {.id = "EVENERTEST", .secret = "for tests", .session_token = ""},
                         .read_only_key = {.id = "LOOKER", .secret = "looks", .session_token = ""}},
                        *files, clock, random)
            .value();
    std::unique_ptr<http::Client> client = http::make_client({});
    std::unique_ptr<S3Store> store =
        make_s3_store({.access = [this] { return Result<S3Access>(server->access()); }},
                      {.client = *client, .clock = clock, .random = random, .pause = real_pause()});
  };
  static Running* running;

 protected:
  void SetUp() override {
    if (running == nullptr) GTEST_SKIP() << kNoWeed;
    const Status ready = running->server->wait_ready(kUp);
    ASSERT_TRUE(ready) << ready.error().message;
  }
  static pid_t child() {
    // The one process below us whose program is the server's.
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream stat(entry.path() / "cmdline");
      std::string line;
      std::getline(stat, line, '\0');
      std::string all((std::istreambuf_iterator<char>(stat)), std::istreambuf_iterator<char>());
      if (line == weed_program() && all.find(running->folder.path().string()) != std::string::npos)
        return static_cast<pid_t>(std::stol(entry.path().filename()));
    }
    return 0;
  }
};
Seaweed::Running* Seaweed::running = nullptr;

TEST_F(Seaweed, FilesWithKeysAreForTheirOwnerOnly) {
  for (const char* name : {"access.json", "s3/identities.json"}) {
    struct stat raw {};
    ASSERT_EQ(::stat((running->folder.path() / name).c_str(), &raw), 0);
    EXPECT_EQ(raw.st_mode & 0777, 0600u) << name;
  }
  const auto access = read_access(*running->files, running->folder.path() / "access.json");
  EXPECT_EQ(access.value().endpoint, running->server->access().endpoint);
  EXPECT_EQ(access.value().key.secret, running->server->access().key.secret);
}

TEST_F(Seaweed, StrangersAreRefused) {
  S3Access stranger = running->server->access();
  stranger.key.secret = "guessed";
  const auto store = make_s3_store(
      {.access = [&] { return Result<S3Access>(stranger); }},
      {.client = *running->client, .clock = running->clock, .random = running->random,
       .pause = real_pause()});
  EXPECT_EQ(store->list({"s3", "own", ""}).error().code, ErrorCode::kPermissionDenied);
  stranger.key = {};
  EXPECT_EQ(store->list({"s3", "own", ""}).error().code, ErrorCode::kPermissionDenied);
}

TEST_F(Seaweed, ItsOtherPortsObeyNobody) {
  auto file = running->store->create({"s3", "own", "hidden"}).value();
  const std::string text = "not for all";
  ASSERT_TRUE(file->append(std::as_bytes(std::span(text))));
  ASSERT_TRUE(file->close());
  const auto ports = read_ports(
      os::read_text(*running->files, running->folder.path() / "s3/ports", 100).value());
  ASSERT_TRUE(ports);
  struct Asked {
    std::uint16_t port;
    const char* method;
    const char* path;
    const char* query;
  };
  for (const Asked& asked : {Asked{ports->filer, "GET", "/buckets/own/hidden", ""},
                             Asked{ports->filer, "GET", "/buckets/", ""},
                             Asked{ports->filer, "PUT", "/buckets/own/hidden", ""},
                             Asked{ports->filer, "DELETE", "/buckets/own/hidden", ""},
                             Asked{ports->master, "GET", "/dir/assign", ""},
                             Asked{ports->master, "GET", "/col/delete", "collection=own"},
                             Asked{ports->master, "GET", "/dir/lookup", "volumeId=1"},
                             Asked{ports->volume, "GET", "/1,01637037d6", ""},
                             Asked{ports->admin, "GET", "/api/config", ""}}) {
    http::Exchange exchange;
    exchange.origin = "http://127.0.0.1:" + std::to_string(asked.port);
    exchange.request = {.method = asked.method, .path = asked.path, .query = asked.query};
    const auto answer = running->client->send(exchange);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_GE(answer->status, 400) << asked.method << " " << asked.path;
  }
  EXPECT_TRUE(running->store->open({"s3", "own", "hidden"}));
  ASSERT_TRUE(running->store->remove({"s3", "own", "hidden"}));
}

TEST_F(Seaweed, OneFolderHasOneServer) {
  const auto second = S3Server::start(
      {.program = weed_program(), .folder = running->folder.path() / "s3", .bucket = "own",
       .access_file = running->folder.path() / "other.json", .key = {}},
      *running->files, running->clock, running->random);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

TEST_F(Seaweed, TheReadOnlyKeyOnlyReads) {
  S3Access looker = running->server->access();
  looker.key = {.id = "LOOKER", .secret = "looks", .session_token = ""};
  const auto store = make_s3_store(
      {.access = [&] { return Result<S3Access>(looker); }},
      {.client = *running->client, .clock = running->clock, .random = running->random,
       .pause = real_pause()});
  EXPECT_TRUE(store->list({"s3", "own", ""}));
  EXPECT_EQ(store->create({"s3", "own", "x"}).value()->close().error().code,
            ErrorCode::kPermissionDenied);
}

TEST_F(Seaweed, APresignedUrlOpensOneObject) {
  auto file = running->store->create({"s3", "own", "for you"}).value();
  const std::string text = "a present";
  ASSERT_TRUE(file->append(std::as_bytes(std::span(text))));
  ASSERT_TRUE(file->close());
  const std::string url =
      running->store->presigned_get({"s3", "own", "for you"}, std::chrono::seconds(60)).value();
  const std::string origin = running->server->access().endpoint;
  ASSERT_TRUE(url.starts_with(origin)) << url;
  http::Exchange exchange;
  exchange.origin = origin;
  const auto query = url.find('?');
  exchange.request.path = url.substr(origin.size(), query - origin.size());
  exchange.request.query = url.substr(query + 1);
  EXPECT_EQ(running->client->send(exchange).value().body, "a present");
  exchange.request.query.back() = exchange.request.query.back() == '0' ? '1' : '0';
  EXPECT_EQ(running->client->send(exchange).value().status, 403);
  ASSERT_TRUE(running->store->remove({"s3", "own", "for you"}));
}

TEST_F(Seaweed, AKilledServerComesBackWithItsObjectsAtItsPlace) {
  auto file = running->store->create({"s3", "own", "kept"}).value();
  const std::string text = "kept over a kill";
  ASSERT_TRUE(file->append(std::as_bytes(std::span(text))));
  ASSERT_TRUE(file->close());
  const S3Access before = running->server->access();
  const int starts = running->server->status().starts;
  const pid_t killed = child();
  ASSERT_GT(killed, 0);
  ASSERT_EQ(::kill(killed, SIGKILL), 0);
  // The store's own patience waits for it.
  const auto got = running->store->open({"s3", "own", "kept"});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ((*got)->stat().value().size, text.size());
  EXPECT_GT(running->server->status().starts, starts);
  EXPECT_EQ(running->server->access().key.secret, before.key.secret);
  EXPECT_EQ(running->server->access().endpoint, before.endpoint);
  ASSERT_TRUE(running->store->remove({"s3", "own", "kept"}));
}

TEST(S3ServerStart, AMissingProgramIsSaid) {
  os::TemporaryFolder folder;
  auto files = os::make_real_file_system();
  SystemClock clock;
  SystemRandom random;
  const auto started = S3Server::start(
      {.program = "/nowhere/weed", .folder = folder.path(), .bucket = "b",
       .access_file = folder.path() / "access.json", .key = {}}, *files, clock, random);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kNotFound);
}

TEST(S3ServerStart, AProgramThatEndsIsStartedAgainWithPauses) {
  os::TemporaryFolder folder;
  auto files = os::make_real_file_system();
  SystemClock clock;
  SystemRandom random;
  auto server = S3Server::start({.program = "/bin/false", .folder = folder.path(), .bucket = "b",
       .access_file = folder.path() / "access.json", .key = {}},
                                *files, clock, random)
                    .value();
  const Status ready = server->wait_ready(milliseconds(1'500));
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, ErrorCode::kTimedOut);
  EXPECT_GE(server->status().starts, 1);
}

// Every store's tests against the real server, each in a place of its own.
class SeaweedUnderTest final : public StoreUnderTest {
 public:
  ObjectStore& store() override { return *Seaweed::running->store; }
  std::string root() override { return "s3://own/" + place_; }

 private:
  const std::string place_ = [] {
    SystemRandom random;
    return random_suffix(random, 12);
  }();
};

class SeaweedForContract {
 public:
  static std::unique_ptr<StoreUnderTest> make(std::string& why_not) {
    if (weed_program().empty()) {
      why_not = kNoWeed;
      return nullptr;
    }
    if (Seaweed::running == nullptr) Seaweed::SetUpTestSuite();
    const Status ready = Seaweed::running->server->wait_ready(kUp);
    if (!ready) {
      ADD_FAILURE() << ready.error().message;
      return nullptr;
    }
    return std::make_unique<SeaweedUnderTest>();
  }
};

class EndOfContract final : public testing::Environment {
 public:
  void TearDown() override { Seaweed::TearDownTestSuite(); }
};
const auto* const kEnd = testing::AddGlobalTestEnvironment(new EndOfContract);

INSTANTIATE_TEST_SUITE_P(Seaweed, StoreContract,
                         testing::Values(StoreKind{"Real", SeaweedForContract::make}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace evener::storage
