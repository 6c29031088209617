#include <gmock/gmock.h>

#include "training/runner/small_job_test.h"

namespace evener::runner {
namespace {

using testing::HasSubstr;

class PrepareCode : public testing::Test {
 protected:
  PrepareCode() : clock_(from_millis(0)), files_(os::make_memory_file_system(clock_)) {
    stores_.add("file", storage::make_file_store(*files_));
    write("/src/train.py", "print(1)");
  }

  void write(const std::filesystem::path& path, std::string_view text) {
    ASSERT_TRUE(os::make_parent_directories(*files_, path));
    ASSERT_TRUE(os::write_text(*files_, path, text));
  }

  Result<PreparedCode> prepare(const jobs::JobSpec& spec) {
    return prepare_code(spec, stores_, *files_, "/jobs/code",
                        [&](const std::filesystem::path& archive, const std::filesystem::path& to) {
                          unpacked_ = archive;
                          return os::write_text(*files_, to / "train.py", "unpacked");
                        });
  }

  std::string text_of(const std::filesystem::path& path) {
    const Result<std::string> text = os::read_text(*files_, path);
    return text ? *text : text.error().message;
  }

  FakeClock clock_;
  std::unique_ptr<os::FileSystem> files_;
  storage::StoreSet stores_;
  std::filesystem::path unpacked_;
  jobs::JobSpec spec_ = small_job().spec;
};

TEST_F(PrepareCode, CopiesAFolderWithWhatLiesBelow) {
  write("/src/lib/a b.py", "x");
  write("/src/requirements.txt", "numpy");
  ASSERT_TRUE(files_->make_symlink("train.py", "/src/link.py"));
  const Result<PreparedCode> prepared = prepare(spec_);
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_TRUE(prepared->has_requirements);
  EXPECT_EQ(prepared->form, CodeForm::kFiles);
  EXPECT_EQ(text_of("/jobs/code/lib/a b.py"), "x");
  EXPECT_EQ(*files_->read_symlink("/jobs/code/link.py"), "train.py");
}

TEST_F(PrepareCode, DoesNotCopyTheJobIntoItself) {
  spec_.hyperparameters["sagemaker_submit_directory"] = "/";
  write("/train.py", "x");
  write("/jobs/other/log", "y");
  ASSERT_TRUE(prepare(spec_));
  EXPECT_EQ(text_of("/jobs/code/src/train.py"), "print(1)");
  EXPECT_FALSE(files_->stat("/jobs/code/jobs"));
}

TEST_F(PrepareCode, TakesOneScriptAlone) {
  spec_.hyperparameters["sagemaker_submit_directory"] = "\"file:///src/train.py\"";
  write("/src/other.py", "y");
  ASSERT_TRUE(prepare(spec_));
  EXPECT_EQ(text_of("/jobs/code/train.py"), "print(1)");
  EXPECT_FALSE(files_->stat("/jobs/code/other.py"));
}

TEST_F(PrepareCode, UnpacksAnArchive) {
  write("/a/sourcedir.tar.gz", "bytes");
  spec_.hyperparameters["sagemaker_submit_directory"] = "\"file:///a/sourcedir.tar.gz\"";
  ASSERT_TRUE(prepare(spec_));
  EXPECT_EQ(unpacked_, "/a/sourcedir.tar.gz");
}

TEST_F(PrepareCode, FollowsAPlaceInsideAChannelToItsSource) {
  write("/a/sourcedir.tar.gz", "bytes");
  jobs::Channel channel;
  channel.name = "code";
  channel.uri = "file:///a/sourcedir.tar.gz";
  spec_.channels.push_back(channel);
  spec_.hyperparameters["sagemaker_submit_directory"] = "/opt/ml/input/data/code/sourcedir.tar.gz";
  ASSERT_TRUE(prepare(spec_));
  EXPECT_EQ(unpacked_, "/a/sourcedir.tar.gz");
  spec_.channels.back().uri = "file:///a";
  ASSERT_TRUE(prepare(spec_));
}

// Serves files of /bucket as s3://bucket/...
class BucketStore final : public storage::ObjectStore {
 public:
  explicit BucketStore(os::FileSystem& files) : files_(files), inner_(storage::make_file_store(files)) {}
  Result<std::vector<storage::StoredObject>> list(const storage::Uri& prefix) override {
    auto objects = inner_->list({.scheme = "file", .bucket = "", .key = "bucket/" + prefix.key});
    if (!objects) return tl::unexpected(objects.error());
    for (storage::StoredObject& object : *objects)
      object.uri = "s3://bucket/" + object.uri.substr(std::string("file:///bucket/").size());
    return objects;
  }
  Result<std::unique_ptr<os::ReadableFile>> open(const storage::Uri& object) override {
    return files_.open("/bucket/" + object.key);
  }
  Result<std::unique_ptr<os::WritableFile>> create(const storage::Uri&) override {
    return failure(ErrorCode::kUnsupported, "read-only");
  }
  Result<std::unique_ptr<os::WritableFile>> create_new(const storage::Uri&) override {
    return failure(ErrorCode::kUnsupported, "read-only");
  }
  Status remove(const storage::Uri&) override { return ok(); }
  std::optional<os::fs::path> local_folder(const storage::Uri&) override { return std::nullopt; }

 private:
  os::FileSystem& files_;
  std::unique_ptr<storage::ObjectStore> inner_;
};

TEST_F(PrepareCode, FetchesAnArchiveOfAStoreAndRemovesItAfterwards) {
  stores_.add("s3", std::make_unique<BucketStore>(*files_));
  write("/bucket/a/sourcedir.tar.gz", "bytes");
  spec_.hyperparameters["sagemaker_submit_directory"] = "\"s3://bucket/a/sourcedir.tar.gz\"";
  const Result<PreparedCode> prepared = prepare(spec_);
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(text_of("/jobs/code/train.py"), "unpacked");
  EXPECT_FALSE(files_->stat("/jobs/code.source.tar.gz"));
}

TEST_F(PrepareCode, FetchesSingleObjectsOfAStore) {
  stores_.add("s3", std::make_unique<BucketStore>(*files_));
  write("/bucket/a/train.py", "one");
  write("/bucket/a/lib/two.py", "two");
  spec_.hyperparameters["sagemaker_submit_directory"] = "s3://bucket/a/";
  const Result<PreparedCode> prepared = prepare(spec_);
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(text_of("/jobs/code/lib/two.py"), "two");
}

TEST_F(PrepareCode, NamesAMissingSource) {
  spec_.hyperparameters["sagemaker_submit_directory"] = "\"file:///nowhere\"";
  EXPECT_THAT(prepare(spec_).error().message, HasSubstr("'/nowhere' does not exist"));
  spec_.hyperparameters.erase("sagemaker_submit_directory");
  EXPECT_THAT(prepare(spec_).error().message, HasSubstr("is not given"));
}

TEST_F(PrepareCode, HintsAtTheEntryPointThatWasMeant) {
  spec_.hyperparameters["sagemaker_program"] = "tran.py";
  EXPECT_EQ(prepare(spec_).error().message,
            "the entry point 'tran.py' is not in 'file:///src'; did you mean 'train.py'?");
  spec_.hyperparameters["sagemaker_program"] = "zzzzzzzz.py";
  EXPECT_EQ(prepare(spec_).error().message,
            "the entry point 'zzzzzzzz.py' is not in 'file:///src'");
}

TEST_F(PrepareCode, MakesACommandExecutable) {
  write("/src/run.sh", "exit 0");
  spec_.hyperparameters["sagemaker_program"] = "run.sh";
  ASSERT_TRUE(prepare(spec_));
  EXPECT_EQ(files_->stat("/jobs/code/run.sh")->mode, 0755u);
}

TEST_F(PrepareCode, LeavesTheNameOfAPackageToPython) {
  write("/src/setup.py", "");
  spec_.hyperparameters["sagemaker_program"] = "pkg";
  const Result<PreparedCode> prepared = prepare(spec_);
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(prepared->form, CodeForm::kPackage);
}

TEST_F(PrepareCode, PreparesCodeForAnotherProgramWithoutLookingForTheEntryPoint) {
  spec_.hyperparameters["sagemaker_program"] = "elsewhere.py";
  spec_.entrypoint = {"/venv/bin/train"};
  EXPECT_TRUE(prepare(spec_));
}

}  // namespace
}  // namespace evener::runner
