// From what the user gave (a request file or flags) to the job's first event in the store.
//
// Used by:  train, serve.
// Threads:  one.
// Fails:    kInvalidArgument or kUnsupported for a job that is refused, kAlreadyExists for a used
//           name, the store's and the file's errors otherwise.
#pragma once

#include <string>

#include "base/clock.h"
#include "evener/home.h"
#include "evener/options.h"
#include "os/file_system.h"
#include "training/store/store.h"

namespace evener::app {

// The CreateTrainingJob body that `options` stand for, with `output` where flags name none. Reads
// the file or standard input.
Result<std::string> request_text(const TrainOptions& options, const std::string& output,
                                 os::FileSystem& files, WallTime now);
// What relative paths in the request are relative to: the folder of the file, or where we are.
std::string request_folder(const TrainOptions& options);

// Validates `request`, resolves its instance types and makes the job durable. Answers its name.
Result<std::string> submit(const std::string& request, const TrainOptions& options,
                           const Home& home, os::FileSystem& files, store::Store& store,
                           const Clock& clock);

// The shape of an instance type that nobody knows: all that this machine has.
jobs::InstanceShape whole_machine();
// Whether input and output are where a job of this machine can have them.
Status check_places(const jobs::JobSpec& spec);

// "share", "strict", "scaled:0.5".
Status set_fit(const std::string& text, jobs::JobSpec& spec);

}  // namespace evener::app
