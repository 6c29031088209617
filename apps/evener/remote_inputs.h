// Places of a request that runs on a server: what is on this machine, and how the job gets it. A
// server that sees the same files takes paths as they are. For another machine source code goes
// into the server's bucket, and data has to be there already.
//
// Used by:  train_remote; control_server (add_machine).
// Threads:  one; blocks while source code is uploaded.
// Fails:    kInvalidArgument with what to do instead; the object store's errors.
#pragma once

#include "base/document.h"
#include "evener/remote_jobs.h"
#include "os/file_system.h"

namespace evener::app {

// What a server says of its machine: `facts.folder` is there already.
void add_machine(control_plane::ServerFacts& facts, os::FileSystem& files);
// Whether the server's home, as it is there, is at the same place here.
bool sees_the_same_files(const control_plane::ServerFacts& facts, os::FileSystem& files);

// `request` is the body of `spec`; its places are changed to what the server can reach.
Status bring_inputs(const ServerConnection& server, const jobs::JobSpec& spec, os::FileSystem& files,
                    document::Value& request);

}  // namespace evener::app
