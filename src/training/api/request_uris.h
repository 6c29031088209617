// Paths of this machine in a request become file:// URIs.
//
// Used by:  api.
// Threads:  pure functions; no file is looked at.
// Fails:    never; what cannot be made absolute stays, and its pattern refuses it.
#pragma once

#include <string>
#include <string_view>

#include "base/document.h"

namespace evener::api {

// "file:///a/b" for "/a/b" or, with directory "/a", for "b", "./b" and "../a/b". Text with a
// scheme, and relative paths without a directory, are returned as they are.
std::string to_uri(std::string_view text, std::string_view directory);

// to_uri on every member that names a place: channels' S3Uri, S3OutputPath, CheckpointConfig.S3Uri,
// and a relative sagemaker_submit_directory.
void make_uris_absolute(document::Value& request, std::string_view directory);

}  // namespace evener::api
