// Prints what the runner makes of a request for one host, as JSON: the files of /opt/ml, the
// folders, the command and its environment. For tests that compare it with other programs.
//
//   contract_dump REQUEST.json HOST ML_PATH CPUS
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "training/api/api.h"
#include "training/runner/runner.h"

namespace {

using Json = nlohmann::json;
using evener::runner::InstanceCommand;
using evener::runner::InstanceFacts;

int refuse(const std::string& message) {
  std::cerr << "contract_dump: " << message << "\n";
  return 2;
}

int dump(const evener::jobs::TrainingJob& job, const InstanceFacts& facts) {
  const evener::Result<InstanceCommand> command = evener::runner::instance_command(job, facts);
  if (!command) return refuse(command.error().message);
  Json hosts = Json::array();
  for (const auto& placement : evener::jobs::place_instances(job.spec))
    hosts.push_back(placement.host);
  std::cout << Json{{"files", evener::runner::contract_files(job, facts)},
                    {"folders", evener::runner::contract_folders(job)},
                    {"hosts", hosts},
                    {"argv", command->argv},
                    {"environment", command->environment},
                    {"directory", command->directory}}
                   .dump()
            << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return refuse("usage: contract_dump REQUEST.json HOST ML_PATH CPUS");
  std::ifstream file(argv[1]);
  std::ostringstream body;
  body << file.rdbuf();
  const auto parsed = evener::api::parse_create_training_job(body.str(), "/");
  if (!parsed) return refuse(parsed.error().message);

  evener::jobs::TrainingJob job;
  job.spec = parsed->spec;
  job.arn = "arn:aws:sagemaker:us-east-1:000000000000:training-job/" + job.spec.name;
  InstanceFacts facts;
  facts.host = argv[2];
  facts.ml_path = argv[3];
  facts.visible_cpus = std::atoi(argv[4]);
  facts.python = "/usr/bin/python3";
  return dump(job, facts);
}
