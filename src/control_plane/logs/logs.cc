#include "control_plane/logs/logs.h"

#include <memory>

#include "control_plane/logs/log_calls.h"
#include "service_model/service_model.h"

namespace evener::control_plane {
namespace {

using Call = std::function<Result<wire::Output>(store::Store& store, const document::Value& input,
                                                const Caller& caller)>;

// The model's own rules, in the class that this service gives them.
Status check_members(const std::string& operation, const document::Value& input) {
  Status checked = service_model::check_input(service_model::Service::kLogs, operation, input);
  if (!checked) return invalid_parameter(checked.error().message);
  return ok();
}

Operation log_operation(Stores& stores, const std::string& name, Call call) {
  return {wire::Service::kLogs, name, Access::kRead,
          [&stores, name, call = std::move(call)](const document::Value& input, const Caller& caller,
                                                  const Answer& answer) {
            if (Status checked = check_members(name, input); !checked)
              return answer(tl::unexpected<Error>(std::move(checked.error())));
            auto store = stores.take();
            if (!store) return answer(tl::unexpected<Error>(store.error()));
            answer(call(**store, input, caller));
          }};
}

Result<wire::Output> as_output(Result<document::Value> value) {
  if (!value) return tl::unexpected<Error>(std::move(value.error()));
  return wire::Output{.value = std::move(*value), .ready_json = {}};
}

}  // namespace

std::vector<Operation> log_operations(Stores& stores, LogOptions options) {
  const auto shared = std::make_shared<const LogOptions>(std::move(options));
  using store::Store;
  return {
      log_operation(stores, "DescribeLogGroups",
                    [shared](Store&, const document::Value& input, const Caller& caller) {
                      return as_output(describe_log_groups(input, caller.region, *shared));
                    }),
      log_operation(stores, "DescribeLogStreams",
                    [shared](Store& store, const document::Value& input, const Caller& caller) {
                      return as_output(describe_log_streams(store, input, caller.region, *shared));
                    }),
      log_operation(stores, "GetLogEvents",
                    [shared](Store& store, const document::Value& input, const Caller&) {
                      return get_log_events(store, input, *shared);
                    }),
      log_operation(stores, "FilterLogEvents",
                    [shared](Store& store, const document::Value& input, const Caller&) {
                      return filter_log_events(store, input, *shared);
                    }),
  };
}

}  // namespace evener::control_plane
