// All that engine and supervisor share of one job: the files of its folder, and the words on the
// socket in it. Neither side includes the other.
//
// Used by:  backends/local (engine side), backends/local/supervisor; apps for logs and samples.
// Threads:  values and functions.
// Fails:    see the parts.
#pragma once

#include <filesystem>
#include <string>

#include "training/backends/local/job_folder/host_files.h"
#include "training/backends/local/job_folder/host_results.h"
#include "training/backends/local/job_folder/identity.h"
#include "training/backends/local/job_folder/journal.h"
#include "training/backends/local/job_folder/plan.h"
#include "training/backends/local/job_folder/protocol.h"

namespace evener::backends {

// The folder of one job under a home, <home>/jobs/<name>: every path below it.
struct JobFolder {
  std::filesystem::path root;
  // Written by the engine before it starts the supervisor.
  std::filesystem::path plan() const { return root / "plan.json"; }
  // Where the job's objects are and what opens them, of mode 0600, if it was given its own.
  std::filesystem::path storage_access() const { return root / "storage_access.json"; }
  // The supervisor's own.
  std::filesystem::path journal() const { return root / "journal"; }
  std::filesystem::path socket() const { return root / "supervisor.sock"; }
  std::filesystem::path identity() const { return root / "supervisor.identity"; }
  std::filesystem::path lock() const { return root / "supervisor.lock"; }
  std::filesystem::path supervisor_log() const { return root / "supervisor.log"; }
  std::filesystem::path logs() const { return root / "logs"; }
  std::filesystem::path samples() const { return root / "samples"; }
  std::filesystem::path metrics() const { return root / "metrics"; }
  // Results that could not be stored.
  std::filesystem::path unsaved() const { return root / "unsaved"; }

  // Gone when the job has ended.
  std::filesystem::path instances() const { return root / "instances"; }
  std::filesystem::path instance(const std::string& host) const { return instances() / host; }
  // What a program on `host` sees as /opt/ml.
  std::filesystem::path ml(const std::string& host) const { return instance(host) / "ml"; }
  // Source code that several hosts share, and what a host changes of it.
  std::filesystem::path shared_code() const { return instances() / "code"; }
  std::filesystem::path code_layer(const std::string& host) const { return instance(host) / "code"; }
  // What pip installed of the job's requirements.txt.
  std::filesystem::path requirements() const { return instances() / "requirements"; }
};
JobFolder job_folder(const std::filesystem::path& home, const std::string& job);

}  // namespace evener::backends
