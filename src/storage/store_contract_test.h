// What every object store does alike, as tests that take a store.
//
// Used by:  the tests of each store: INSTANTIATE_TEST_SUITE_P(..., StoreContract, ...).
// Threads:  one.
// Fails:    as tests do.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "os/temporary_folder_test.h"
#include "storage/storage.h"

namespace evener::storage {

// A store with an empty place in it that the test may fill.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual ObjectStore& store() = 0;
  virtual std::string root() = 0;         // URI without a slash at the end
};

struct StoreKind {
  friend void PrintTo(const StoreKind& kind, std::ostream* out) { *out << kind.name; }
  std::string name;
  // Null: this machine does not have it, and `why_not` says why.
  std::function<std::unique_ptr<StoreUnderTest>(std::string& why_not)> make;
};

class StoreContract : public testing::TestWithParam<StoreKind> {
 protected:
  using Keys = std::vector<std::string>;

  void SetUp() override {
    std::string why_not;
    under_test_ = GetParam().make(why_not);
    if (under_test_) return;
    ASSERT_FALSE(HasFailure()) << "a test that has failed is not skipped";
    GTEST_SKIP() << why_not;
  }
  ObjectStore& store() { return under_test_->store(); }
  Uri uri(const std::string& name) {
    return parse_uri(under_test_->root() + "/" + name).value();
  }
  static std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  }
  testing::AssertionResult put(const std::string& name, const std::string& text) {
    const Status stored = try_to_put(name, text);
    if (stored) return testing::AssertionSuccess();
    return testing::AssertionFailure() << stored.error().message;
  }
  Status try_to_put(const std::string& name, const std::string& text) {
    auto file = store().create(uri(name));
    if (!file) return tl::unexpected(file.error());
    RETURN_IF_ERROR((*file)->append(bytes_of(text)));
    return (*file)->close();
  }
  Result<std::string> get(const std::string& name, std::optional<std::uint64_t> size = {}) {
    const auto path = folder_.path() / "fetched";
    RETURN_IF_ERROR(store().fetch(uri(name), *files_, path, {.size = size}));
    return os::read_text(*files_, path, 1u << 30);
  }
  Result<std::string> read(const std::string& name) {
    auto file = store().open(uri(name));
    if (!file) return tl::unexpected(file.error());
    std::string text;
    std::vector<std::byte> piece(100'000);
    while (true) {
      auto got = (*file)->read_at(text.size(), piece);
      if (!got) return tl::unexpected(got.error());
      if (*got == 0) return text;
      text.append(reinterpret_cast<const char*>(piece.data()), *got);
    }
  }
  Keys keys(const std::string& prefix) {
    const auto listed = store().list(uri(prefix));
    EXPECT_TRUE(listed) << listed.error().message;
    Keys found;
    if (!listed) return found;
    for (const StoredObject& object : *listed) found.push_back(object.key);
    return found;
  }
  static std::string pattern(std::size_t size) {
    std::string text(size, '\0');
    std::uint32_t state = 1;
    for (char& c : text) {
      state = state * 1664525 + 1013904223;
      c = static_cast<char>(state >> 24);
    }
    return text;
  }

  std::unique_ptr<StoreUnderTest> under_test_;
  os::TemporaryFolder folder_;
  std::unique_ptr<os::FileSystem> files_ = os::make_real_file_system();
};

TEST_P(StoreContract, WhatWasPutIsReadAndFetched) {
  for (const std::size_t size : {0, 1, 5000, 300'000}) {
    const std::string text = pattern(size);
    ASSERT_TRUE(put("d/object", text));
    EXPECT_EQ(get("d/object").value(), text);
    EXPECT_EQ(get("d/object", size).value(), text);
    EXPECT_EQ(read("d/object").value(), text);
  }
}

TEST_P(StoreContract, LargeObjectsComeBackWhole) {
  const std::string text = pattern((20u << 20) + 12'345);
  auto file = store().create(uri("large")).value();
  for (std::size_t at = 0; at < text.size(); at += 700'000) {
    const std::string piece = text.substr(at, 700'000);
    ASSERT_TRUE(file->append(bytes_of(piece)));
  }
  EXPECT_EQ(keys(""), Keys{}) << "nothing is there before close()";
  const Status closed = file->close();
  ASSERT_TRUE(closed) << closed.error().message;
  const auto fetched = get("large", text.size());
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_TRUE(*fetched == text);
  const auto again = read("large");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(*again == text);
}

TEST_P(StoreContract, FolderListsAllBelowItSortedByWholeKey) {
  for (const char* name : {"d/a/1", "d/a-b", "d/a.b", "d/z", "d/a/0/x", "e"})
    ASSERT_TRUE(put(name, "text"));
  const Keys all{"a-b", "a.b", "a/0/x", "a/1", "z"};
  EXPECT_EQ(keys("d"), all);
  EXPECT_EQ(keys("d/"), all);
  const auto listed = store().list(uri("d")).value();
  EXPECT_EQ(listed[3].uri, under_test_->root() + "/d/a/1");
  EXPECT_EQ(listed[3].size, 4u);
}

TEST_P(StoreContract, ObjectListsItselfAndPrefixListsWhatStartsWithIt) {
  for (const char* name : {"d/train", "d/train-0", "d/train-1/x", "d/test"})
    ASSERT_TRUE(put(name, "x"));
  EXPECT_EQ(keys("d/train"), Keys{"train"});
  EXPECT_EQ(keys("d/trai"), (Keys{"train", "train-0", "train-1/x"}));
  EXPECT_EQ(keys("d/train-"), (Keys{"train-0", "train-1/x"}));
  EXPECT_EQ(keys("d/none"), Keys{});
  EXPECT_EQ(keys("no/folder/here"), Keys{});
  EXPECT_EQ(keys("d/train/"), Keys{});
}

TEST_P(StoreContract, OddNamesSurvive) {
  const Keys names{"a b", "a%20b", "a+b", "a&b=c", "k\xc3\xbc", "q?x#y", "~._-", "(1)'!*"};
  for (const std::string& name : names) ASSERT_TRUE(put("odd/" + name, name)) << name;
  Keys sorted = names;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(keys("odd"), sorted);
  const auto listed = store().list(uri("odd")).value();
  for (const StoredObject& object : listed) {
    auto file = store().open(parse_uri(object.uri).value());
    ASSERT_TRUE(file) << object.uri << ": " << file.error().message;
    EXPECT_EQ((*file)->stat().value().size, object.key.size()) << object.key;
  }
}

TEST_P(StoreContract, ManyObjectsAreListedWhole) {
  Keys names;
  for (int i = 0; i < 25; ++i) names.push_back("many/" + std::to_string(100 + i));
  for (const std::string& name : names) ASSERT_TRUE(put(name, "x"));
  EXPECT_EQ(keys("many").size(), names.size());
}

TEST_P(StoreContract, AbsentObjectsAreNotFound) {
  EXPECT_EQ(get("none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read("none").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(get("none", 9u << 20).error().code, ErrorCode::kNotFound);
}

TEST_P(StoreContract, ObjectAppearsAtCloseOrNotAtAll) {
  ASSERT_TRUE(put("object", "old"));
  {
    auto file = store().create(uri("object")).value();
    ASSERT_TRUE(file->append(bytes_of("new")));
    EXPECT_EQ(get("object").value(), "old");
  }
  EXPECT_EQ(get("object").value(), "old");
  {
    auto file = store().create(uri("dropped")).value();
    const std::string large = pattern(18u << 20);
    ASSERT_TRUE(file->append(bytes_of(large)));
  }
  EXPECT_EQ(keys(""), Keys{"object"});
}

TEST_P(StoreContract, NewObjectsTakeOnlyFreeNames) {
  auto first = store().create_new(uri("claim")).value();
  auto second = store().create_new(uri("claim")).value();
  ASSERT_TRUE(first->append(bytes_of("one")));
  ASSERT_TRUE(second->append(bytes_of("two")));
  ASSERT_TRUE(second->close());
  EXPECT_EQ(first->close().error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(get("claim").value(), "two");
}

TEST_P(StoreContract, FoldersAreNoObjects) {
  EXPECT_EQ(store().create(uri("d/")).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(store().open(Uri{"other", "b", "k"}).error().code, ErrorCode::kInvalidArgument);
}

TEST_P(StoreContract, RemovingIsRepeatable) {
  ASSERT_TRUE(put("d/x", "1"));
  EXPECT_TRUE(store().remove(uri("d/x")));
  EXPECT_TRUE(store().remove(uri("d/x")));
  EXPECT_EQ(keys("d"), Keys{});
}

TEST_P(StoreContract, ProgressCountsEveryByteOnce) {
  const std::string text = pattern(9u << 20);
  ASSERT_TRUE(put("object", text));
  std::atomic<std::uint64_t> arrived{0};
  FetchOptions options{.size = text.size(), .arrived = [&](std::uint64_t more) { arrived += more; }};
  ASSERT_TRUE(store().fetch(uri("object"), *files_, folder_.path() / "file", options));
  EXPECT_EQ(arrived.load(), text.size());
}

TEST_P(StoreContract, AFetchStopsWhenAsked) {
  ASSERT_TRUE(put("object", "text"));
  std::stop_source source;
  source.request_stop();
  FetchOptions options;
  options.stop = source.get_token();
  EXPECT_EQ(store().fetch(uri("object"), *files_, folder_.path() / "file", options).error().code,
            ErrorCode::kCancelled);
}

TEST_P(StoreContract, BytesOfAListedObjectAreReadUntilItChanges) {
  const std::string text = pattern(20'000);
  ASSERT_TRUE(put("d/object", text));
  const auto listed = store().list(uri("d"));
  ASSERT_EQ(listed.value().size(), 1u);
  const StoredObject object = listed->front();
  EXPECT_NE(object.version, "");
  std::string got(500, '\0');
  const auto read = [&](std::uint64_t offset) {
    return store().read_listed(uri("d/object"), {object.size, object.version}, offset,
                               std::as_writable_bytes(std::span(got)));
  };
  ASSERT_TRUE(read(1234));
  EXPECT_EQ(got, text.substr(1234, 500));
  EXPECT_FALSE(read(19'501));
  ASSERT_TRUE(put("d/object", text.substr(1)));
  EXPECT_EQ(read(0).error().code, ErrorCode::kCorrupt);
}

}  // namespace evener::storage
