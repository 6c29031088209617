#include "control_plane/sagemaker/job_texts.h"

#include <gtest/gtest.h>

#include "os/temporary_folder_test.h"

namespace evener::control_plane {
namespace {

class JobTextsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = store::open_store({.home = home_.path(), .synchronous = store::Synchronous::kOff});
    ASSERT_TRUE(store);
    other_process_ = std::move(*store);
    submit("a");
    submit("b");
  }
  void commit(const std::string& job, jobs::JobChange change) {
    const jobs::JobEvent event{.job = job, .time = from_millis(1), .change = std::move(change)};
    ASSERT_TRUE(other_process_->commit({&event, 1}));
  }
  void submit(const std::string& name) {
    jobs::JobSpec spec{.name = name};
    spec.groups.push_back({.name = "g", .instance_type = "t"});
    commit(name, jobs::Submitted{std::move(spec), ""});
  }
  std::int64_t refresh() {
    auto store = stores_.take();
    return *texts_.refresh(*store);
  }
  void keep(const std::string& job, const std::string& text) {
    const std::int64_t row = refresh();
    texts_.keep(job, std::make_shared<const std::string>(text), row);
  }
  bool kept(const std::string& job) { return texts_.find(job) != nullptr; }

  os::TemporaryFolder home_{os::memory_or_temporary()};
  std::unique_ptr<store::Store> other_process_;
  Stores stores_{home_.path()};
  JobTexts texts_{2000};
};

TEST_F(JobTextsTest, KeepsATextWhateverTheCaseOfTheName) {
  keep("a", "text");
  refresh();
  ASSERT_TRUE(kept("A"));
  EXPECT_EQ(*texts_.find("a"), "text");
}

TEST_F(JobTextsTest, ForgetsWhatAnotherProcessChangesAndNothingElse) {
  keep("a", "old");
  keep("b", "text");
  commit("a", jobs::Noticed{"news"});
  refresh();
  EXPECT_FALSE(kept("a"));
  EXPECT_TRUE(kept("b"));
}

TEST_F(JobTextsTest, EveryReaderSeesAChange) {
  auto first = stores_.take();
  auto second = stores_.take();
  ASSERT_TRUE(texts_.refresh(*first));
  ASSERT_TRUE(texts_.refresh(*second));
  keep("a", "old");
  commit("a", jobs::Noticed{"news"});
  ASSERT_TRUE(texts_.refresh(*second));
  EXPECT_FALSE(kept("a"));
  keep("a", "new");
  ASSERT_TRUE(texts_.refresh(*first)) << "it has not looked yet";
  EXPECT_TRUE(kept("a")) << "and finds nothing that is newer than the text";
}

TEST_F(JobTextsTest, ATextThatMayBeOldByNowIsNotKept) {
  const std::int64_t row = refresh();
  commit("a", jobs::Noticed{"news"});
  refresh();
  texts_.keep("a", std::make_shared<const std::string>("old"), row);
  EXPECT_FALSE(kept("a"));
}

TEST_F(JobTextsTest, TheOnesUsedLastStayWithinTheLimit) {
  keep("a", std::string(600, 'a'));
  keep("b", std::string(600, 'b'));
  EXPECT_TRUE(kept("a"));
  keep("c", std::string(600, 'c'));
  EXPECT_TRUE(kept("a"));
  EXPECT_FALSE(kept("b"));
  EXPECT_TRUE(kept("c"));
  keep("d", std::string(5000, 'd'));
  EXPECT_FALSE(kept("d")) << "larger than all that may be kept";
}

}  // namespace
}  // namespace evener::control_plane
