// A home of its own for one test, and the events that tests of the store commit.
//
// Used by:  tests.
// Threads:  one.
// Fails:    by a failed expectation, or aborts the test program.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "os/temporary_folder_test.h"
#include "training/store/store.h"

namespace evener::store {

class TestHome {
 public:
  std::filesystem::path path() const { return folder_.path() / "hö me"; }  // a blank and no ASCII
  std::filesystem::path database() const { return path() / "evener.db"; }
  std::unique_ptr<Store> open() const {
    auto store = open_store({.home = path(), .synchronous = Synchronous::kOff});
    EXPECT_TRUE(store.has_value()) << (store ? "" : store.error().message);
    return store ? std::move(*store) : nullptr;
  }

 private:
  os::TemporaryFolder folder_{os::memory_or_temporary()};
};

// Runs statements on the file itself, past the store; fails the test where SQLite refuses.
void run_sql(const std::filesystem::path& file, const std::string& sql);

inline jobs::JobEvent event_of(const std::string& job, jobs::JobChange change,
                               std::int64_t time_ms = 1000, std::uint64_t position = 0) {
  return {job, from_millis(time_ms), position, std::move(change)};
}

inline jobs::JobEvent submission(const std::string& job, std::int64_t time_ms = 1000) {
  jobs::JobSpec spec{.name = job};
  spec.groups.push_back({.name = "g", .instance_type = "ml.c5.xlarge"});
  return event_of(job, jobs::Submitted{std::move(spec), "arn-of-" + job}, time_ms);
}

// A whole life: submitted, run, completed.
inline std::vector<jobs::JobEvent> life_of(const std::string& job) {
  std::vector<jobs::JobEvent> events{
      submission(job), event_of(job, jobs::Launching{{{"algo-1", 0}}}, 1001),
      event_of(job, jobs::TrainingStarted{}, 1002, 1),
      event_of(job, jobs::InstanceExited{"algo-1", {}}, 1003, 2),
      event_of(job, jobs::UploadingStarted{}, 1004, 3), event_of(job, jobs::Ended{}, 1005, 4)};
  return events;
}

// Commits one by one; true when the store took every one.
inline bool commit_each(Store& store, const std::vector<jobs::JobEvent>& events) {
  for (const jobs::JobEvent& event : events) {
    const auto answers = store.commit({&event, 1});
    if (!answers || !(*answers)[0]) return false;
  }
  return true;
}

inline std::string differences_of(Store& store) {
  const auto differences = verify(store);
  if (!differences) return differences.error().message;
  std::string all;
  for (const std::string& difference : *differences) all += difference + "\n";
  return all;
}

}  // namespace evener::store
