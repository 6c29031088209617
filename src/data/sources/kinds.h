// The kinds of sources, one file each.
//
// Used by:  open() in sources.cc.
// Threads:  as sources.h.
// Fails:    as sources.h.
#pragma once

#include "data/sources/sources.h"

namespace evener::data::sources {

Result<std::unique_ptr<Source>> open_images(const Options& options,
                                            const storage::StoreSet& stores);
Result<std::unique_ptr<Source>> open_shards(const Options& options,
                                            const storage::StoreSet& stores,
                                            const std::stop_token& stop);
Result<std::unique_ptr<Source>> open_records(const Options& options,
                                             const storage::StoreSet& stores);

// ".jpg", ".jpeg", ".png", ".webp" in any case. The name decides what belongs to a data set; the
// content, how it is decoded.
bool is_photograph(std::string_view name);

}  // namespace evener::data::sources
