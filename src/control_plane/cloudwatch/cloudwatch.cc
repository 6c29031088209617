#include "control_plane/cloudwatch/cloudwatch.h"

#include <memory>

#include "control_plane/cloudwatch/calls.h"
#include "service_model/service_model.h"

namespace evener::control_plane {
namespace {

using Call = std::function<Result<document::Value>(store::Store& store, const document::Value& input)>;

Operation metric_operation(Stores& stores, const std::string& name, Call call) {
  return reading(wire::Service::kCloudWatch, name,
                 [&stores, name, call = std::move(call)](
                     const document::Value& input, const Caller&) -> Result<document::Value> {
                   RETURN_IF_ERROR(service_model::check_input(service_model::Service::kCloudWatch,
                                                              name, input));
                   auto store = stores.take();
                   if (!store) return tl::unexpected<Error>(store.error());
                   return call(**store, input);
                 });
}

}  // namespace

std::vector<Operation> cloudwatch_operations(Stores& stores, const Clock& clock,
                                             CloudWatchOptions options) {
  const auto shared = std::make_shared<const CloudWatchOptions>(std::move(options));
  using document::Value;
  using store::Store;
  return {
      metric_operation(stores, "GetMetricStatistics", [shared](Store& store, const Value& input) {
        return get_metric_statistics(store, input, *shared);
      }),
      metric_operation(stores, "GetMetricData", [shared](Store& store, const Value& input) {
        return get_metric_data(store, input, *shared);
      }),
      metric_operation(stores, "ListMetrics", [shared, &clock](Store& store, const Value& input) {
        return list_metrics(store, input, clock.wall_now(), *shared);
      }),
  };
}

}  // namespace evener::control_plane
