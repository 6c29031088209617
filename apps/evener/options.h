// What each sub-command was asked, as plain values: the result of reading the flags.
//
// Used by:  flags.cc fills them, the run_... functions of commands.h take them.
// Threads:  values.
// Fails:    nothing here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "training/api/api.h"

namespace evener::app {

enum class OutputForm { kText, kJson };

struct SharedOptions {
  std::filesystem::path home;          // as given; see home_path()
  OutputForm form = OutputForm::kText;
  std::string region = "us-east-1";    // of prices and ARNs
  std::string server;                  // as given; see chosen_server()
  std::filesystem::path key_file;      // with the server's keys; "": those of the environment
};

enum class Waiting { kFollow, kDetach };

struct TrainOptions {
  SharedOptions shared;
  std::string job_file;                // CreateTrainingJob body; "-" is standard input
  api::TrainFlags flags;               // used where job_file is empty
  std::string fit;                     // share | strict | scaled:<factor>; "" leaves the job's own
  std::string isolation;               // namespaces | plain; "" takes the best that works
  Waiting waiting = Waiting::kFollow;
};

struct JobsListOptions {
  SharedOptions shared;
  std::string status;
  std::string name_contains;
  std::size_t limit = 100;
};

struct JobOptions {                    // show, stop, delete
  SharedOptions shared;
  std::string name;
  bool at_once = false;                // stop: without the grace period
};

struct LogsOptions {
  SharedOptions shared;
  std::string name;
  std::string host;
  std::string group;
  std::string since;                   // a duration back from now, or epoch seconds
  bool follow = false;
};

struct CatalogOptions {
  SharedOptions shared;
  std::string filter;                  // part of a type's name
};

struct ServeOptions {
  SharedOptions shared;
  std::string listen = "127.0.0.1:8900";
  std::vector<std::string> host_names; // that clients may use besides localhost
  std::string isolation;
  std::string tls_certificate;
  std::string tls_key;
  bool insecure = false;               // no signatures
};

struct UpOptions {
  ServeOptions serve;
  std::string s3;                      // endpoint of a server that runs already; its keys are in
                                       // AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
  std::string bucket = "evener";       // made in our own server
  std::string program;                 // path of weed; "": searched for
};

struct EnvOptions {
  SharedOptions shared;
  std::filesystem::path config_folder; // where the SDK's config file goes; "": none is written
  std::string bucket = "evener";
  std::string role = "arn:aws:iam::000000000000:role/evener";
  bool read_only = false;              // the key that only reads
};

struct EngineOptions {
  SharedOptions shared;
  std::string isolation;
};

}  // namespace evener::app
