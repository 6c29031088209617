// The short forms of `evener train`'s flags, taken apart.
//
// Used by:  api.
// Threads:  pure functions; no file is looked at.
// Fails:    kInvalidArgument: names the flag, what was given, and the form.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace evener::api {

struct GroupForm {
  std::string name;            // "" in the form without a name
  std::string instance_type;
  int count = 1;
};
// "data_group=ml.c5.2xlarge:2", "data_group=ml.c5.2xlarge", "ml.m5.xlarge:2".
Result<GroupForm> parse_group(std::string_view text);

struct ChannelForm {
  std::string name;
  std::string path;
  std::vector<std::string> groups;
  bool sharded = false;
  bool gzip = false;
  bool manifest = false;
  std::string content_type;
};
// "NAME=PATH[@group,group][:sharded][:gzip][:manifest][:content-type=TYPE]". Read from the right:
// only known suffixes and names of `groups` are taken off, so that a path may hold `:` and `@`.
Result<ChannelForm> parse_channel(std::string_view text, const std::vector<std::string>& groups);

// "K=V"; V may hold more `=`. `flag` is "--env" or "--hyperparameter".
Result<std::pair<std::string, std::string>> parse_assignment(std::string_view flag,
                                                             std::string_view text);

}  // namespace evener::api
