// The sub-commands. Each answers the process's exit code.
//
// Used by:  flags.cc.
// Threads:  called on the main thread, once per process.
// Fails:    0 done (train: Completed), 1 failed (train: Failed), 2 bad usage or refused,
//           3 the job was stopped. Errors go to standard error as one line that says what to try.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "evener/options.h"

namespace evener::app {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitStopped = 3;

int run_train(const TrainOptions& options);
int run_serve(const ServeOptions& options);
int run_up(const UpOptions& options);
int run_env(const EnvOptions& options);
int run_jobs_list(const JobsListOptions& options);
int run_jobs_show(const JobOptions& options);
int run_jobs_logs(const LogsOptions& options);
int run_jobs_stop(const JobOptions& options);
int run_jobs_delete(const JobOptions& options);
int run_jobs_upload(const JobOptions& options);
int run_instances(const CatalogOptions& options);
int run_prices(const CatalogOptions& options);
int run_doctor(const SharedOptions& options);
// The engine without a view: carries on the active jobs of a home until none is left.
int run_engine(const EngineOptions& options);
int run_supervise(const std::filesystem::path& job_folder);

// Prints "evener: message" to standard error and answers `code`.
int report_error(const Error& error, int code);

}  // namespace evener::app
