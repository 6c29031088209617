#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ids.h"
#include "training/jobs/fields.h"
#include "training/jobs/job_story_test.h"

namespace evener::jobs {
namespace {

using testing::HasSubstr;

// Fills every member that fields() names with something random.
class RandomFiller {
 public:
  explicit RandomFiller(std::uint64_t seed) : random_(seed) {}

  template <class T>
  void operator()(const char*, T& value) {
    fill(value);
  }
  void fill(bool& value) { value = random_.below(2) == 1; }
  void fill(double& value) { value = static_cast<double>(random_.next() >> 11) / 1048576.0; }
  void fill(std::int64_t& value) { value = static_cast<std::int64_t>(random_.next()); }
  void fill(std::uint64_t& value) { value = random_.next(); }
  void fill(int& value) { value = static_cast<int>(random_.next()); }
  void fill(WallTime& value) { value = from_millis(static_cast<std::int64_t>(random_.below(1u << 31))); }
  void fill(std::chrono::seconds& value) { value = std::chrono::seconds(random_.below(1u << 31)); }
  void fill(std::string& value) {
    static const std::vector<std::string> kPieces{"a", "Ä", "😀", "\"", "\\", "\n", "\0x", "/", "{", ""};
    value.clear();
    for (std::uint64_t n = random_.below(6); n > 0; --n)
      value += kPieces[random_.below(kPieces.size())];
    if (random_.below(8) == 0) value.push_back('\0');
  }
  void fill(InputMode& value) { value = static_cast<InputMode>(random_.below(3)); }
  void fill(DataType& value) { value = static_cast<DataType>(random_.below(3)); }
  void fill(Distribution& value) { value = static_cast<Distribution>(random_.below(2)); }
  void fill(Compression& value) { value = static_cast<Compression>(random_.below(2)); }
  void fill(Fit& value) { value = static_cast<Fit>(random_.below(3)); }
  void fill(Isolation& value) { value = static_cast<Isolation>(random_.below(2)); }
  void fill(StopCause& value) { value = static_cast<StopCause>(random_.below(3)); }
  void fill(JobStatus& value) { value = static_cast<JobStatus>(random_.below(6)); }
  void fill(SecondaryStatus& value) { value = static_cast<SecondaryStatus>(random_.below(14)); }
  void fill(std::map<std::string, std::string>& value) {
    value.clear();
    for (std::uint64_t n = random_.below(4); n > 0; --n) {
      std::string name, text;
      fill(name);
      fill(text);
      value[name] = text;
    }
  }
  template <class T>
  void fill(std::vector<T>& value) {
    value.resize(random_.below(4));
    for (T& item : value) fill(item);
  }
  template <class T>
  void fill(std::optional<T>& value) {
    value.reset();
    if (random_.below(2) == 1) fill(value.emplace());
  }
  template <class T>
  void fill(T& value) {
    fields(*this, value);
  }

  template <std::size_t I = 0>
  JobChange change(std::size_t index) {
    if constexpr (I < std::variant_size_v<JobChange>) {
      if (index != I) return change<I + 1>(index);
      JobChange change(std::in_place_index<I>);
      fill(std::get<I>(change));
      return change;
    } else {
      return {};
    }
  }

 private:
  SeededRandom random_;
};

TEST(EventCodec, EveryEventRoundTrips) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    RandomFiller filler(seed);
    JobEvent event;
    filler.fill(event.job);
    filler.fill(event.time);
    filler.fill(event.journal_position);
    event.change = filler.change(seed % std::variant_size_v<JobChange>);
    const std::string text = to_json(event);
    const auto read = event_from_json(text);
    ASSERT_TRUE(read.has_value()) << "seed " << seed << ": " << read.error().message;
    ASSERT_EQ(to_json(*read), text) << "seed " << seed;
    ASSERT_EQ(read->change.index(), event.change.index());
    if (const auto* submitted = std::get_if<Submitted>(&event.change)) {
      ASSERT_EQ(std::get<Submitted>(read->change).spec, submitted->spec) << "seed " << seed;
    }
    if (const auto* exited = std::get_if<InstanceExited>(&event.change)) {
      ASSERT_EQ(std::get<InstanceExited>(read->change).exit, exited->exit) << "seed " << seed;
    }
  }
}

TEST(SpecCodec, EverySpecificationRoundTrips) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomFiller filler(seed);
    JobSpec spec;
    filler.fill(spec);
    const auto read = spec_from_json(to_json(spec));
    ASSERT_TRUE(read.has_value()) << "seed " << seed;
    ASSERT_EQ(*read, spec) << "seed " << seed;
  }
}

TEST(JobCodec, EveryJobRoundTrips) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomFiller filler(seed);
    TrainingJob job;
    filler.fill(job);
    if (job.transitions.empty()) job.transitions.emplace_back();
    const auto read = job_from_json(to_json(job));
    ASSERT_TRUE(read.has_value()) << "seed " << seed << ": " << read.error().message;
    ASSERT_EQ(to_json(*read), to_json(job)) << "seed " << seed;
    ASSERT_EQ(read->spec, job.spec);
    ASSERT_EQ(read->instances, job.instances);
  }
}

TEST(EventCodec, KeepsItsNames) {
  const JobEvent event{"j", from_millis(5), 7, StopRequested{StopCause::kMaxRuntime, true}};
  EXPECT_EQ(to_json(event),
            R"({"body":{"at_once":true,"cause":"MaxRuntime"},"job":"j","kind":"StopRequested",)"
            R"("position":7,"time_ms":5})");
}

TEST(EventCodec, IgnoresWhatItDoesNotKnowAndDefaultsWhatIsMissing) {
  const auto read = event_from_json(
      R"({"body":{"new":[1,{"x":2}]},"job":"j","kind":"Ended","position":0,"time_ms":5,"later":1})");
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(std::get<Ended>(read->change).status, JobStatus::kCompleted);
}

TEST(EventCodec, ReplacesBytesThatAreNotUtf8) {
  const JobEvent event{"j", {}, 0, Noticed{"a\xff z\xc3"}};
  const auto read = event_from_json(to_json(event));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(std::get<Noticed>(read->change).notice, "a\xEF\xBF\xBD z\xEF\xBF\xBD");
}

TEST(EventCodec, TextOfOthersIsCorruptAndSaysWhere) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "not JSON"},
      {"[]", "not an object"},
      {"{}", "job is missing"},
      {R"({"job":"j","time_ms":0,"position":0,"kind":"Nothing","body":{}})", "unknown kind Nothing"},
      {R"({"job":"j","time_ms":0,"position":0,"kind":"Ended"})", "body is missing"},
      {R"({"job":"j","time_ms":0,"position":-1,"kind":"Ended","body":{}})", "range"},
      {R"({"job":"j","time_ms":0,"position":0,"kind":"Ended","body":[]})", "object is missing"},
      {R"({"job":"j","time_ms":0,"position":0,"kind":"Ended","body":{"status":"Odd"}})", "status"},
      {R"({"job":"j","time_ms":0,"position":0,"kind":"Launching","body":{"instances":[{"group":9999999999}]}})",
       "instances: group"},
  };
  for (const auto& [text, what] : cases) {
    const auto read = event_from_json(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(read.error().message, HasSubstr(what)) << text;
  }
  EXPECT_EQ(spec_from_json("{}").error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(job_from_json("{}").error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(job_from_json(R"({"spec":{"name":"x"}})").error().code, ErrorCode::kCorrupt);
}

TEST(EventCodec, ATornRecordIsNeverReadAsAnother) {
  JobStory story;
  const std::string text = to_json(story.event(Submitted{story.job.spec, "arn"}));
  for (std::size_t length = 0; length < text.size(); ++length)
    ASSERT_FALSE(event_from_json(std::string_view(text).substr(0, length)).has_value()) << length;
}

}  // namespace
}  // namespace evener::jobs
