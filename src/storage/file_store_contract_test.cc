#include "os/file_systems_test.h"
#include "storage/store_contract_test.h"

namespace evener::storage {
namespace {

class FileStoreUnderTest final : public StoreUnderTest {
 public:
  explicit FileStoreUnderTest(os::FileSystemKind kind) : under_test_(kind) {}
  ObjectStore& store() override { return *store_; }
  std::string root() override { return "file://" + under_test_.root().string(); }

 private:
  os::FileSystemUnderTest under_test_;
  std::unique_ptr<ObjectStore> store_ = make_file_store(under_test_.files());
};

StoreKind kind(std::string name, os::FileSystemKind file_system) {
  return {std::move(name), [file_system](std::string&) {
            return std::make_unique<FileStoreUnderTest>(file_system);
          }};
}

INSTANTIATE_TEST_SUITE_P(
    Files, StoreContract,
    testing::Values(kind("Real", os::FileSystemKind::kReal),
                    kind("Memory", os::FileSystemKind::kMemory),
                    kind("FaultyWithoutFaults", os::FileSystemKind::kFaultyWithoutFaults)),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace evener::storage
