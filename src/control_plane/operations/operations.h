// An operation of a service as the front calls it.
//
// Used by:  control_plane/{front,background,sagemaker,logs,cloudwatch,identity,evener}; apps join
//           their tables.
// Threads:  `run` is called on a server's thread and must not wait long; its Answer may be called
//           from any thread, once, also later.
// Fails:    the Answer's error becomes AWS's; see wire.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "control_plane/wire/wire.h"

namespace evener::control_plane {

// What a key must allow.
enum class Access { kRead, kWrite };

struct Caller {
  std::string access_key_id;    // "" where nobody is asked who he is
  std::string region;
};

using Answer = std::function<void(Result<wire::Output>)>;

struct Operation {
  wire::Service service = wire::Service::kSageMaker;
  std::string name;             // "DescribeTrainingJob"
  Access access = Access::kWrite;
  std::function<void(const document::Value& input, const Caller& caller, Answer answer)> run;
};

// Of an operation that knows its answer at once.
using Function = std::function<Result<document::Value>(const document::Value& input,
                                                       const Caller& caller)>;
inline Operation reading(wire::Service service, std::string name, Function function) {
  return {service, std::move(name), Access::kRead,
          [function = std::move(function)](const document::Value& input, const Caller& caller,
                                           const Answer& answer) {
            auto value = function(input, caller);
            if (!value) return answer(tl::unexpected<Error>(std::move(value.error())));
            answer(wire::Output{.value = std::move(*value), .ready_json = {}});
          }};
}

}  // namespace evener::control_plane
