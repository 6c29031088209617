#include "control_plane/logs/logs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "control_plane/logs/filter_pattern.h"
#include "os/temporary_folder_test.h"

namespace evener::control_plane {
namespace {

using document::Value;

constexpr std::int64_t kStart = 1'700'000'000'000;

class LogsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = store::open_store({.home = home_.path(), .synchronous = store::Synchronous::kOff});
    ASSERT_TRUE(store);
    store_ = std::move(*store);
    operations_ = log_operations(stores_, {.folder = [this](const std::string& job) {
                                   return home_.path() / "jobs" / job / "logs";
                                 }});
  }

  void commit(const std::string& job, jobs::JobChange change, std::int64_t millis = kStart) {
    const jobs::JobEvent event{.job = job, .time = from_millis(millis), .change = std::move(change)};
    const auto answers = store_->commit({&event, 1});
    ASSERT_TRUE(answers && answers->at(0)) << answers->at(0).error().message;
  }
  void launch(const std::string& job, int hosts = 1) {
    jobs::JobSpec spec{.name = job};
    spec.groups.push_back({.name = "g", .instance_type = "t", .count = hosts});
    commit(job, jobs::Submitted{spec, "arn"});
    commit(job, jobs::Launching{jobs::place_instances(spec)});
  }
  void end(const std::string& job) {
    commit(job, jobs::Ended{.status = jobs::JobStatus::kFailed,
                            .secondary = jobs::SecondaryStatus::kFailed,
                            .failure_reason = "x"}, kStart + 1'000'000);
  }
  // A record of the log, as formats/logs.md has it.
  void line(const std::string& job, const std::string& host, int offset, const std::string& text,
            char mark = ' ') {
    const auto folder = home_.path() / "jobs" / job / "logs";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / (host + ".log"), std::ios::app) << kStart + offset << mark << text << '\n';
  }
  Result<Value> ask(const std::string& name, const std::string& members) {
    Result<Value> answer = failure(ErrorCode::kNotFound, "no such operation");
    const auto input = document::read("{\"logGroupName\":\"/aws/sagemaker/TrainingJobs\"" +
                                      (members.empty() ? "" : "," + members) + "}");
    for (const Operation& operation : operations_)
      if (operation.name == name)
        operation.run(*input, {"KEY", "us-east-1"}, [&](Result<wire::Output> output) {
          if (!output) answer = tl::unexpected<Error>(output.error());
          else if (output->ready_json.empty()) answer = output->value;
          else answer = document::read(output->ready_json);
        });
    return answer;
  }
  Result<Value> get(const std::string& stream, const std::string& members = "") {
    return ask("GetLogEvents", R"("logStreamName":")" + stream + "\"" +
                                   (members.empty() ? "" : "," + members));
  }
  static std::string texts(const Result<Value>& answer) {
    if (!answer) return answer.error().message;
    std::string all;
    for (const Value& event : answer->items_at("events"))
      all += (all.empty() ? "" : "|") + std::string(event.text_at("message"));
    return all;
  }
  static std::string token(const Value& answer, const std::string& name) {
    return R"("nextToken":")" + std::string(answer.text_at(name)) + "\"";
  }

  os::TemporaryFolder home_{os::memory_or_temporary()};
  std::unique_ptr<store::Store> store_;
  Stores stores_{home_.path()};
  std::vector<Operation> operations_;
};

TEST_F(LogsTest, EveryHostHasAStreamFromItsLaunchOnEvenIfSilent) {
  launch("job", 3);
  const auto answer = ask("DescribeLogStreams", R"("logStreamNamePrefix":"job/","limit":1)");
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(answer->items_at("logStreams").size(), 3u) << "a job's streams come together";
  EXPECT_EQ(answer->find("nextToken"), nullptr);
  EXPECT_EQ(answer->items_at("logStreams")[2].text_at("logStreamName"), "job/algo-3-1700000000");
  EXPECT_EQ(texts(get("job/algo-2-1700000000")), "");
}

TEST_F(LogsTest, WhatIsNotThereIsToldInTheWordsOfTheService) {
  launch("job");
  for (const std::string name : {"job/algo-2-1700000000", "job/algo-1-1", "job", "nobody/algo-1-1700000000",
                                 "../../etc/passwd", "job/../algo-1-1700000000", "JOB/algo-1-1700000000"})
    EXPECT_EQ(texts(get(name)),
              "ResourceNotFoundException: The specified log stream does not exist.") << name;
  const auto group = document::read(R"({"logGroupName":"/aws/lambda/x"})");
  operations_[1].run(*group, {}, [](const Result<wire::Output>& output) {
    EXPECT_EQ(output.error().message,
              "ResourceNotFoundException: The specified log group does not exist.");
  });
  EXPECT_EQ(ask("DescribeLogStreams", R"("logStreamNamePrefix":"nobody/")")->items_at("logStreams").size(), 0u);
}

TEST_F(LogsTest, ForwardPagesJoinAndTheTokenRepeatsAtTheEnd) {
  launch("job");
  for (int i = 0; i < 5; ++i) line("job", "algo-1", i, "line " + std::to_string(i));
  const std::string stream = "job/algo-1-1700000000";
  const auto first = get(stream, R"("startFromHead":true,"limit":2)");
  EXPECT_EQ(texts(first), "line 0|line 1");
  const auto second = get(stream, R"("limit":2,)" + token(*first, "nextForwardToken"));
  EXPECT_EQ(texts(second), "line 2|line 3");
  const auto third = get(stream, R"("limit":2,)" + token(*second, "nextForwardToken"));
  EXPECT_EQ(texts(third), "line 4");
  const auto fourth = get(stream, token(*third, "nextForwardToken"));
  EXPECT_EQ(texts(fourth), "");
  EXPECT_EQ(fourth->text_at("nextForwardToken"), third->text_at("nextForwardToken"));
  line("job", "algo-1", 9, "later");
  EXPECT_EQ(texts(get(stream, token(*fourth, "nextForwardToken"))), "later");
  const auto back = get(stream, R"("limit":2,)" + token(*second, "nextBackwardToken"));
  EXPECT_EQ(texts(back), "line 0|line 1");
  const auto before = get(stream, token(*back, "nextBackwardToken"));
  EXPECT_EQ(texts(before), "");
  EXPECT_EQ(before->text_at("nextBackwardToken"), back->text_at("nextBackwardToken"));
}

TEST_F(LogsTest, WithoutADirectionTheLastLinesComeInTheirOrder) {
  launch("job");
  for (int i = 0; i < 5; ++i) line("job", "algo-1", i, "line " + std::to_string(i));
  EXPECT_EQ(texts(get("job/algo-1-1700000000", R"("limit":2)")), "line 3|line 4");
}

TEST_F(LogsTest, TimesIncludeTheStartAndExcludeTheEnd) {
  launch("job");
  for (int i = 0; i < 5; ++i) line("job", "algo-1", i, "line " + std::to_string(i));
  const std::string times = R"("startTime":1700000000001,"endTime":1700000000003)";
  EXPECT_EQ(texts(get("job/algo-1-1700000000", times)), "line 1|line 2");
  EXPECT_EQ(texts(get("job/algo-1-1700000000", times + R"(,"startFromHead":true)")), "line 1|line 2");
  EXPECT_EQ(texts(ask("FilterLogEvents", times)), "line 1|line 2|line 3") << "its end is included";
}

TEST_F(LogsTest, ForgedTokensAndBadNumbersAreRefused) {
  launch("job");
  line("job", "algo-1", 0, "text");
  for (const std::string members :
       {R"("nextToken":"f/3")", R"("nextToken":"f/99999999")", R"("nextToken":"x/0")",
        R"("nextToken":"f/")", R"("nextToken":"f/-1")", R"("limit":0)", R"("limit":10001)",
        R"("limit":"many")", R"("startTime":-1)", R"("startTime":1.5)"})
    EXPECT_TRUE(texts(get("job/algo-1-1700000000", members)).starts_with("InvalidParameterException: "))
        << members;
}

TEST_F(LogsTest, AnUnfinishedLineIsAnEventOnlyWhenNothingCanFollow) {
  launch("job");
  line("job", "algo-1", 0, "10%", '~');
  line("job", "algo-1", 1, "20%", '~');
  const std::string stream = "job/algo-1-1700000000";
  const auto waiting = get(stream, R"("startFromHead":true)");
  EXPECT_EQ(texts(waiting), "");
  EXPECT_EQ(texts(get(stream)), "");
  end("job");
  EXPECT_EQ(texts(get(stream, token(*waiting, "nextForwardToken"))), "20%");
  EXPECT_EQ(texts(get(stream)), "20%");
}

TEST_F(LogsTest, EmptyLinesAreNoEventsAndBytesThatAreNoTextAreReplaced) {
  launch("job");
  line("job", "algo-1", 0, "");
  line("job", "algo-1", 1, "a\xff" "b");
  EXPECT_EQ(texts(get("job/algo-1-1700000000", R"("startFromHead":true)")), "a\xef\xbf\xbd" "b");
}

TEST_F(LogsTest, APageHoldsAboutAMegabyte) {
  launch("job");
  for (int i = 0; i < 30; ++i) line("job", "algo-1", i, std::string(100'000, 'x'));
  const auto page = get("job/algo-1-1700000000", R"("startFromHead":true)");
  EXPECT_EQ(page->items_at("events").size(), 10u);
  const auto rest = get("job/algo-1-1700000000", token(*page, "nextForwardToken"));
  EXPECT_EQ(rest->items_at("events").size(), 10u);
}

TEST_F(LogsTest, AFilterMergesAllStreamsByTimeAndPages) {
  launch("job", 2);
  for (int i = 0; i < 6; ++i)
    line("job", i % 2 == 0 ? "algo-1" : "algo-2", i, "line " + std::to_string(i));
  const std::string prefix = R"("logStreamNamePrefix":"job/","interleaved":true)";
  EXPECT_EQ(texts(ask("FilterLogEvents", prefix)), "line 0|line 1|line 2|line 3|line 4|line 5");
  std::string all;
  std::string next;
  for (int page = 0; page < 3; ++page) {
    const auto answer = ask("FilterLogEvents", prefix + R"(,"limit":2)" + next);
    all += texts(answer) + ";";
    next = "," + token(*answer, "nextToken");
  }
  EXPECT_EQ(all, "line 0|line 1;line 2|line 3;line 4|line 5;");
  EXPECT_EQ(texts(ask("FilterLogEvents", prefix + R"(,"filterPattern":"?\"line 3\" ?5")")),
            "line 3|line 5");
  const auto named = ask("FilterLogEvents", R"("logStreamNames":["job/algo-2-1700000000"])");
  EXPECT_EQ(texts(named), "line 1|line 3|line 5");
  EXPECT_EQ(named->items_at("events")[0].text_at("logStreamName"), "job/algo-2-1700000000");
}

TEST_F(LogsTest, AFilterSearchesAnyNumberOfStreamsPageByPage) {
  constexpr int jobs = 560;   // more than one call searches
  for (int i = 0; i < jobs; ++i) launch((i % 2 == 0 ? "Job-" : "job-") + std::to_string(i));
  const std::vector<std::string> talking{"job-3", "Job-40", "job-99", "Job-558"};
  for (const std::string& job : talking)
    for (int i = 0; i < 3; ++i) line(job, "algo-1", i, job + "." + std::to_string(i));
  for (const std::string members : {R"("limit":2)", R"("limit":2,"startTime":1)"}) {
    std::multiset<std::string> given;
    std::string next;
    int pages = 0;
    for (bool more = true; more && pages < 100; ++pages) {
      const auto answer = ask("FilterLogEvents", members + next);
      ASSERT_TRUE(answer) << answer.error().message;
      for (const Value& event : answer->items_at("events"))
        given.emplace(event.text_at("message"));
      more = answer->find("nextToken") != nullptr;
      if (more) next = "," + token(*answer, "nextToken");
      if (pages == 0) launch("job-1000000");   // while pages are read
    }
    EXPECT_EQ(given.size(), 12u);
    EXPECT_EQ(std::set<std::string>(given.begin(), given.end()).size(), 12u);
    EXPECT_GE(pages, 6);
    commit("job-1000000", jobs::Ended{.status = jobs::JobStatus::kFailed,
                                      .secondary = jobs::SecondaryStatus::kFailed,
                                      .failure_reason = "x"});
    commit("job-1000000", jobs::Deleted{});
  }
  for (const std::string forged :
       {"1/2/", "x", "-2/0///", "1/2/a/b", "1700000000000/1///job-3/algo-1-1700000000"})
    EXPECT_FALSE(ask("FilterLogEvents", R"("nextToken":")" + forged + "\"")) << forged;
}

TEST_F(LogsTest, AFilterGoesOnOverMuchThatIsNoEvent) {
  launch("job", 2);
  const std::string blank(2'000, '.');
  const auto pages_of = [&](const std::string& members) {
    std::string all;
    std::string next;
    int pages = 0;
    for (bool more = true; more && pages < 100; ++pages) {
      const auto answer = ask("FilterLogEvents", members + next);
      if (!answer) return answer.error().message;
      for (const Value& event : answer->items_at("events")) all += event.text_at("message");
      more = answer->find("nextToken") != nullptr;
      if (more) next = "," + token(*answer, "nextToken");
    }
    return all + " in " + (pages > 1 ? "pages" : "one page");
  };
  {
    const auto folder = home_.path() / "jobs" / "job" / "logs";
    std::filesystem::create_directories(folder);
    std::ofstream log(folder / "algo-1.log", std::ios::app);
    log << kStart << " first\n";
    for (int i = 0; i < 10'000; ++i) log << kStart << '~' << blank << '\n';
    log << kStart + 1 << " last\n";
  }
  line("job", "algo-2", 0, "other");
  EXPECT_EQ(pages_of(R"("limit":10)"), "firstotherlast in pages");
  EXPECT_EQ(pages_of(R"("filterPattern":"last")"), "last in pages");
}

TEST_F(LogsTest, AStreamGoesOnOverMuchThatIsNoEventInBothDirections) {
  launch("job");
  {
    const auto folder = home_.path() / "jobs" / "job" / "logs";
    std::filesystem::create_directories(folder);
    std::ofstream log(folder / "algo-1.log", std::ios::app);
    log << kStart << " first\n";
    for (int i = 0; i < 10'000; ++i) log << kStart << '~' << std::string(2'000, '.') << '\n';
    log << kStart + 1 << " last\n";
  }
  const std::string stream = "job/algo-1-1700000000";
  for (const std::string way : {"nextForwardToken", "nextBackwardToken"}) {
    std::string all;
    std::string members = way == "nextForwardToken" ? R"("startFromHead":true)" : "";
    std::string before;
    int pages = 0;
    for (; pages < 100; ++pages) {
      const auto answer = get(stream, members);
      ASSERT_TRUE(answer) << answer.error().message;
      all += texts(answer);
      members = token(*answer, way);
      if (members == before) break;
      before = members;
    }
    EXPECT_GE(pages, 2) << way;
    EXPECT_EQ(all, way == "nextForwardToken" ? "firstlast" : "lastfirst");
  }
}

TEST_F(LogsTest, AFilterHoldsLittleOfLongLinesInManyStreams) {
  constexpr int kHosts = 40;
  launch("job", kHosts);
  const std::string text(250'000, 'x');   // longer than a stream's share
  for (int host = 1; host <= kHosts; ++host)
    for (int i = 0; i < 2; ++i)
      line("job", "algo-" + std::to_string(host), i, std::to_string(i) + text);
  std::size_t events = 0;
  std::string order;
  std::string next;
  int pages = 0;
  for (bool more = true; more && pages < 200; ++pages) {
    const auto answer = ask("FilterLogEvents", R"("limit":100)" + next);
    ASSERT_TRUE(answer) << answer.error().message;
    for (const Value& event : answer->items_at("events")) {
      EXPECT_EQ(event.text_at("message").size(), text.size() + 1);
      order += event.text_at("message")[0];
      ++events;
    }
    more = answer->find("nextToken") != nullptr;
    if (more) next = "," + token(*answer, "nextToken");
  }
  EXPECT_EQ(events, 2u * kHosts);
  EXPECT_EQ(order, std::string(kHosts, '0') + std::string(kHosts, '1'));
}

TEST_F(LogsTest, StreamsOfManyJobsComeInPages) {
  for (const std::string job : {"a", "b", "c", "d", "bb"}) launch(job);
  std::string all;
  std::string next;
  for (int page = 0; page < 10; ++page) {
    const auto answer = ask("DescribeLogStreams", R"("limit":2)" + next);
    ASSERT_TRUE(answer) << answer.error().message;
    for (const Value& stream : answer->items_at("logStreams"))
      all += std::string(stream.text_at("logStreamName").substr(0, 2)) + " ";
    if (answer->find("nextToken") == nullptr) break;
    next = "," + token(*answer, "nextToken");
  }
  EXPECT_EQ(all, "a/ b/ bb c/ d/ ");
  EXPECT_EQ(ask("DescribeLogStreams", R"("logStreamNamePrefix":"b")")->items_at("logStreams").size(), 2u);
  EXPECT_FALSE(ask("DescribeLogStreams", R"("nextToken":"s/x")"));
}

TEST_F(LogsTest, ThereIsOneGroup) {
  const auto input = document::read(R"({"logGroupNamePrefix":"/aws/sage"})");
  operations_[0].run(*input, {"", "eu-west-1"}, [](const Result<wire::Output>& output) {
    ASSERT_EQ(output->value.items_at("logGroups").size(), 1u);
    EXPECT_EQ(output->value.items_at("logGroups")[0].text_at("arn"),
              "arn:aws:logs:eu-west-1:000000000000:log-group:/aws/sagemaker/TrainingJobs:*");
  });
}

TEST(FilterPattern, KnowsTermsPhrasesAlternativesAndExclusions) {
  const auto matches = [](std::string_view pattern, std::string_view line) {
    return FilterPattern::parse(pattern)->matches(line);
  };
  EXPECT_TRUE(matches("", "anything"));
  EXPECT_TRUE(matches("ERROR disk", "a disk ERROR"));
  EXPECT_FALSE(matches("ERROR disk", "a disk error"));
  EXPECT_TRUE(matches("\"a b\"", "xa by"));
  EXPECT_FALSE(matches("\"a b\"", "a  b"));
  EXPECT_TRUE(matches("?x ?y", "y"));
  EXPECT_FALSE(matches("a -b", "ab"));
  EXPECT_TRUE(matches("\"say \\\"hi\\\"\"", "say \"hi\""));
}

TEST(FilterPattern, OthersAreRefused) {
  for (const std::string_view pattern : {"{ $.a = 1 }", "[a, b]", "%a.b%", "\"open", "?", "-"})
    EXPECT_FALSE(FilterPattern::parse(pattern)) << pattern;
}

}  // namespace
}  // namespace evener::control_plane
