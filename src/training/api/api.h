// SageMaker's CreateTrainingJob: the request as JSON, its constraints, and AWS's error texts;
// and jobs as DescribeTrainingJob shows them.
//
// Used by:  apps (`evener train`, `evener jobs show --json`), training/operations.
// Threads:  pure functions.
// Fails:    parse: kInvalidArgument; for JSON syntax the message has line and column. Constraint
//           violations are AWS's ValidationException texts, all of them in one message
//           ("2 validation errors detected: ...; ...").
// Source:   botocore's service model (service_model) and the cross-member rules of the API
//           reference.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/document.h"
#include "base/result.h"
#include "service_model/service_model.h"
#include "training/jobs/jobs.h"

namespace evener::api {

struct ParsedRequest {
  jobs::JobSpec spec;                  // shapes of groups are not resolved here
  std::vector<std::string> notices;    // members that are stored but have no effect, and unknown ones
};

// Every constraint and cross-member rule; features of later versions are refused clearly
// (kUnsupported): Pipe, FastFile, AugmentedManifestFile, checkpoints, managed spot.
// A URI may also be file:///path or a path; a relative path is taken from `directory`, and is
// refused where that is empty. request_json holds the body with such paths made file://.
Result<ParsedRequest> parse_create_training_job(std::string_view json,
                                                std::string_view directory = {});

// The same for a request that is a document already, as an API call brings it; paths must be
// absolute, and are refused with Places::kService.
using service_model::Places;
Result<ParsedRequest> check_create_training_job(document::Value request, Places places);

// The request as a person gives it by flags; becomes the same JSON body.
struct TrainFlags {
  std::string name;
  std::string default_name;                   // where name is empty; see default_job_name()
  std::string entry_point;                    // path inside source_dir; alone: one script's path
  std::string source_dir;                     // folder or .tar.gz
  std::vector<std::string> groups;            // data_group=ml.c5.2xlarge:1
  std::vector<std::string> channels;          // raw=DIR@data_group,dnn_group:sharded:gzip
  std::vector<std::string> hyperparameters;   // K=V
  std::vector<std::string> environment;       // K=V
  std::vector<std::string> auxiliary_groups;
  std::string output;
  std::string max_runtime;                    // "1h"
  bool network_isolation = false;
};
// The CreateTrainingJob body; `directory` resolves relative paths. kInvalidArgument names the
// flag and shows its form.
Result<std::string> request_from_flags(const TrainFlags& flags, std::string_view directory);

// "<stem of the entry point>-YYYY-MM-DD-HH-MM-SS-mmm" (UTC), always a legal name.
std::string default_job_name(std::string_view entry_point, WallTime now);

// DescribeTrainingJob's answer, and the same as compact JSON.
document::Value description_of(const jobs::TrainingJob& job);
std::string describe_training_job(const jobs::TrainingJob& job);
// One element of ListTrainingJobs' TrainingJobSummaries.
document::Value summary_document(const jobs::JobSummary& summary);
std::string summarize_training_job(const jobs::TrainingJob& job);

}  // namespace evener::api
