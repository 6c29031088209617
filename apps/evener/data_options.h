// What the commands of the data service were asked, as plain values.
//
// Used by:  data_service_flags.cc fills them, the run_data_... functions take them.
// Threads:  values; the functions run on the main thread.
// Fails:    exit codes as commands.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "evener/options.h"

namespace evener::app {

// Of dispatcher and worker.
struct DataServeOptions {
  OutputForm form = OutputForm::kText;
  std::string listen;
  std::filesystem::path token_file;      // "": EVENER_DATA_TOKEN
  std::string tls_certificate;
  std::string tls_key;
  std::string metrics;                   // ADDRESS:PORT of the HTTP endpoint; "": none
};

struct DataDispatcherOptions {
  DataServeOptions serve;
};

struct DataWorkerOptions {
  DataServeOptions serve;
  std::string dispatcher;                // HOST:PORT
  std::string advertise;                 // host that readers connect to
  std::string tls_authority;             // of the dispatcher
  std::uint32_t threads = 0;             // 0: as many as CPUs
  std::uint32_t read_threads = 8;
  std::string checksum = "none";
};

struct DataRunOptions {
  OutputForm form = OutputForm::kText;
  std::string pipeline;                  // TOML file
  std::uint32_t threads = 0;             // 0: as many as CPUs
  double seconds = 0;                    // 0: to the end
};

struct DataReadOptions {
  OutputForm form = OutputForm::kText;
  std::string dispatcher;                // HOST:PORT or unix:NAME
  std::string pipeline;                  // TOML file; "": join the feed that is there
  std::string feed = "default";
  std::uint32_t rank = 0;
  std::uint32_t ranks = 1;
  std::uint32_t from_epoch = 0;
  std::uint64_t from_batch = 0;
  std::uint64_t batches = 0;             // 0: to the end
  double step_ms = 0;                    // what a trainer does with each batch
  bool digest = false;
  std::string memory = "256M";           // for batches that come and are not yet read
  std::filesystem::path token_file;
  std::string tls_authority;
};

struct DataImageBenchOptions {
  OutputForm form = OutputForm::kText;
  std::string input;                     // folder with photographs
  std::uint32_t cores = 1;
  double seconds = 5;
  std::string format = "f32";
};

int run_data_dispatcher(const DataDispatcherOptions& options);
int run_data_worker(const DataWorkerOptions& options);
int run_data_read(const DataReadOptions& options);
int run_data_run(const DataRunOptions& options);
int run_data_bench_image(const DataImageBenchOptions& options);
int run_data_bench_stages(const DataImageBenchOptions& options);

}  // namespace evener::app
