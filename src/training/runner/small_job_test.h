// A job of two groups for the tests of runner.
//
// Used by:  tests.
// Threads:  one.
// Fails:    never.
#pragma once

#include "training/runner/runner.h"

namespace evener::runner {

inline jobs::TrainingJob small_job() {
  jobs::TrainingJob job;
  job.arn = "arn:aws:sagemaker:eu-west-1:000000000000:training-job/het";
  jobs::JobSpec& spec = job.spec;
  spec.name = "het";
  spec.output_uri = "file:///out";
  spec.heterogeneous = true;
  spec.groups = {{.name = "data_group", .instance_type = "ml.c5.xlarge", .count = 2, .shape = {}},
                 {.name = "dnn_group", .instance_type = "ml.g5.xlarge", .count = 1, .shape = {}}};
  spec.hyperparameters = {{"epochs", "3"},
                          {"lr", "0.1"},
                          {"n", "\"a b\""},
                          {"sagemaker_program", "\"train.py\""},
                          {"sagemaker_submit_directory", "\"file:///src\""}};
  jobs::Channel raw;
  raw.name = "raw";
  raw.uri = "s3://b/raw/";
  raw.distribution = jobs::Distribution::kShardedByS3Key;
  raw.groups = {"data_group"};
  jobs::Channel labels;
  labels.name = "labels";
  labels.uri = "file:///in/labels";
  labels.content_type = "text/csv";
  labels.groups = {"data_group", "dnn_group"};
  spec.channels = {raw, labels};
  return job;
}

inline InstanceFacts facts_of(const std::string& host) {
  InstanceFacts facts;
  facts.host = host;
  facts.visible_cpus = 4;
  facts.base_environment = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C.UTF-8"}};
  facts.python = "/usr/bin/python3";
  return facts;
}

}  // namespace evener::runner
