#include "storage/s3/s3_lab_test.h"
#include "storage/store_contract_test.h"

namespace evener::storage {
namespace {

class FakeUnderTest : public StoreUnderTest {
 public:
  ObjectStore& store() override { return *lab.store; }
  std::string root() override { return "s3://bucket"; }
  S3Lab lab;
};

// Every third request fails in one of the ways of a busy service; the store hides it.
class FaultyUnderTest final : public FakeUnderTest {
 public:
  FaultyUnderTest() {
    lab.server.fault = [this](const http::Exchange&) -> std::optional<Fault> {
      switch (requests_++ % 12) {
        case 2: return Fault{.answer = http::Response{.status = 503, .headers = {}, .body = slow_}};
        case 5: return Fault{.before = Error{ErrorCode::kUnavailable, "connection refused"}};
        case 8: return Fault{.cut_after = 5000};
        case 11: return Fault{.answer = http::Response{.status = 500, .headers = {}, .body = ""}};
        default: return std::nullopt;
      }
    };
  }

 private:
  std::atomic<int> requests_{0};
  const std::string slow_ = "<Error><Code>SlowDown</Code></Error>";
};

template <class UnderTest>
StoreKind kind(std::string name) {
  return {std::move(name), [](std::string&) { return std::make_unique<UnderTest>(); }};
}

INSTANTIATE_TEST_SUITE_P(S3, StoreContract,
                         testing::Values(kind<FakeUnderTest>("Fake"),
                                         kind<FaultyUnderTest>("FaultyFake")),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace evener::storage
