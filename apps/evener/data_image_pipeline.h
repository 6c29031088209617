// The pipeline that image benchmarks share: file, JPEG, RandomResizedCrop(224, scale .08-1), flip,
// normalise, batch 64; and how right its pixels are.
//
// Used by:  data_bench_image.cc, data_bench_stages.cc.
// Threads:  functions that block.
// Fails:    as sources and decoder do.
#pragma once

#include "base/result.h"
#include "data/pipeline/pipeline.h"
#include "evener/data_options.h"

namespace evener::app {

// Without labels, without an end.
Result<data::pipeline::Definition> image_pipeline(const DataImageBenchOptions& options);

// Median of the peak signal-to-noise ratios in dB of 50 crops, fixed by their position, to the slow
// reference.
Result<double> image_quality(const data::pipeline::Definition& definition,
                             const storage::StoreSet& stores);

// The bytes of samples spread over the data set, and the crop of each.
struct FixedCrop {
  data::sources::Reading reading;
  data::images::Facts facts;
  data::images::Transform transform;
};
Result<std::vector<FixedCrop>> fixed_crops(const data::pipeline::Definition& definition,
                                           const storage::StoreSet& stores, std::size_t count);

}  // namespace evener::app
