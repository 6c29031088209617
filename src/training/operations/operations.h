// SageMaker's operations on training jobs: an input document becomes an answer document, or the
// events to commit and the answer that is true once they are durable.
//
// Used by:  control_plane.
// Threads:  as the Store that is passed in: one thread per Store. The rest is pure.
// Fails:    with AWS's text. The code is the class of the error: kInvalidArgument and kUnsupported
//           are ValidationException, kAlreadyExists ResourceInUse, kLimitExceeded
//           ResourceLimitExceeded; a text that begins "<AWS code>: " names another. Whatever else a
//           Store answers is a failure of ours.
// Source:   botocore's service model of SageMaker; texts of AWS where they are known.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/document.h"
#include "base/result.h"
#include "training/jobs/jobs.h"
#include "training/store/store.h"

namespace evener::operations {

// ---- limits ----------------------------------------------------------------------------

inline constexpr std::size_t kDefaultPage = 10;         // jobs, where MaxResults is absent
inline constexpr std::size_t kSearchConditions = 50;    // filters and sub-expressions in all

// ---- what reads ------------------------------------------------------------------------

Result<document::Value> describe_training_job(store::Store& store, const document::Value& input);
// Filters first and pages then, so that a page is short only at the end.
Result<document::Value> list_training_jobs(store::Store& store, const document::Value& input);
// Training jobs by any expression; of other resources there are none.
Result<document::Value> search(store::Store& store, const document::Value& input);
Result<document::Value> list_tags(store::Store& store, const document::Value& input);

// ---- what changes ----------------------------------------------------------------------

// What to commit, and the answer once it is durable.
struct Change {
  std::vector<jobs::JobEvent> events{};
  document::Value answer{};
  std::string arn{};
};
// The answer of a change, or its refusal in AWS's words; `statuses` as commit() gave them, one
// for each event. Pure: callable from any thread.
Result<document::Value> answer_of(const Change& change, std::span<const Status> statuses);

// Who may name paths of this machine (file:// and /paths) in CreateTrainingJob: AWS knows s3:// and
// https:// alone. A job runs code with the server's rights anyway, so keys that may create jobs may.
enum class LocalPaths { kRefused, kAllowed };

struct CreateOptions {
  std::string region = "us-east-1";
  std::string account = "000000000000";
  LocalPaths paths = LocalPaths::kRefused;
  // Fills in the shapes of the groups, may refuse what this machine cannot do, and may add notices.
  std::function<Status(jobs::JobSpec& spec, std::vector<std::string>& notices)> complete{};
};
Result<Change> create_training_job(const document::Value& input, const CreateOptions& options,
                                   WallTime now);
// Case of names does not count: the events bear the job's own.
Result<Change> stop_training_job(store::Store& store, const document::Value& input, WallTime now);
Result<Change> delete_training_job(store::Store& store, const document::Value& input, WallTime now);
Result<Change> update_training_job(store::Store& store, const document::Value& input, WallTime now);
Result<Change> add_tags(store::Store& store, const document::Value& input, WallTime now);
Result<Change> delete_tags(store::Store& store, const document::Value& input, WallTime now);

}  // namespace evener::operations
