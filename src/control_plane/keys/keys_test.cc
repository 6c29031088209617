#include "control_plane/keys/keys.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "os/temporary_folder_test.h"

namespace evener::control_plane {
namespace {

class KeyFile : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "keys.json"; }
  void write(const std::string& text, mode_t mode = 0600) {
    std::ofstream(file()) << text;
    ::chmod(file().c_str(), mode);
  }
  os::TemporaryFolder folder_;
  SeededRandom random_{1};
};

TEST_F(KeyFile, IsMadeAtTheFirstStartForItsOwnerAlone) {
  const auto keys = open_keys(file(), random_);
  ASSERT_TRUE(keys) << keys.error().message;
  ASSERT_EQ(keys->size(), 2u);
  EXPECT_EQ((*keys)[0].role, Role::kFull);
  EXPECT_EQ((*keys)[1].role, Role::kReadOnly);
  EXPECT_EQ((*keys)[0].secret.size(), 40u);
  EXPECT_NE((*keys)[0].secret, (*keys)[1].secret);
  struct stat stat {};
  ASSERT_EQ(::stat(file().c_str(), &stat), 0);
  EXPECT_EQ(stat.st_mode & 0777, 0600u);
}

TEST_F(KeyFile, KeepsItsKeys) {
  const auto first = open_keys(file(), random_);
  const auto second = open_keys(file(), random_);
  ASSERT_TRUE(second);
  EXPECT_EQ((*first)[0].secret, (*second)[0].secret);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(KeyFile, IsNotWaitedForWhereItIsAPipe) {
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  const auto keys = open_keys(file(), random_);
  ASSERT_FALSE(keys);
  EXPECT_EQ(keys.error().code, ErrorCode::kPermissionDenied);
}

TEST_F(KeyFile, IsRefusedIfOthersMayReadIt) {
  write(R"({"keys":[{"id":"a","secret":"b","role":"full"}]})", 0640);
  const auto keys = open_keys(file(), random_);
  ASSERT_FALSE(keys);
  EXPECT_EQ(keys.error().code, ErrorCode::kPermissionDenied);
}

TEST_F(KeyFile, IsRefusedIfItIsALink) {
  std::filesystem::create_symlink("/etc/passwd", file());
  EXPECT_FALSE(open_keys(file(), random_));
}

TEST_F(KeyFile, IsRefusedIfItIsNotOneOfOurs) {
  for (const std::string text : {"", "{}", "[]", R"({"keys":[{"id":"a"}]})",
                                 R"({"keys":[{"id":"a","secret":"b","role":"boss"}]})"}) {
    write(text);
    const auto keys = open_keys(file(), random_);
    ASSERT_FALSE(keys) << text;
    EXPECT_EQ(keys.error().code, ErrorCode::kCorrupt);
  }
}

TEST(Role, ReadsBackFromItsName) {
  for (const Role role : {Role::kReadOnly, Role::kFull}) EXPECT_EQ(role_from(to_string(role)), role);
  EXPECT_FALSE(role_from("root"));
}

}  // namespace
}  // namespace evener::control_plane
