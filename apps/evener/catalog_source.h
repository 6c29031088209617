// The catalogue of this home: the shipped data and the user's config.toml.
//
// Used by:  train, jobs, instances, prices.
// Threads:  pure but for reading one file.
// Fails:    kInvalidArgument with file and line on a config.toml that cannot be read.
#pragma once

#include "advice/catalog/catalog.h"
#include "evener/home.h"
#include "os/file_system.h"
#include "training/jobs/jobs.h"

namespace evener::app {

Result<catalog::Catalog> load_catalog(const Home& home, os::FileSystem& files);

// Fills in the shape of every group from the catalogue. A type that it does not have gets the
// whole machine's shape, and a notice with near names is added.
void resolve_shapes(jobs::JobSpec& spec, const catalog::Catalog& catalog,
                    const jobs::InstanceShape& whole_machine, std::vector<std::string>& notices);

}  // namespace evener::app
