// The services by name, and what is known of each.
#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "service_model/table.h"

namespace evener::service_model {
namespace {

struct ServiceRow {
  Service service;
  std::string_view name;
  const Table& (*table)();
};
constexpr std::array<ServiceRow, 5> kServices{{
    {Service::kSageMaker, "sagemaker", sagemaker_table},
    {Service::kLogs, "logs", logs_table},
    {Service::kCloudWatch, "cloudwatch", cloudwatch_table},
    {Service::kSts, "sts", sts_table},
    {Service::kIam, "iam", iam_table},
}};

const ServiceRow& row_of(Service service) {
  const auto found = std::ranges::find(kServices, service, &ServiceRow::service);
  CHECK(found != kServices.end(), "every service has a row");
  return *found;
}

}  // namespace

std::string_view to_string(Service service) { return row_of(service).name; }

std::optional<Service> service_from(std::string_view text) {
  const auto found = std::ranges::find(kServices, text, &ServiceRow::name);
  return found == kServices.end() ? std::nullopt : std::optional(found->service);
}

const Table& table_of(Service service) { return row_of(service).table(); }

std::span<const std::string_view> operations(Service service) {
  return table_of(service).operations;
}

bool has_operation(Service service, std::string_view operation) {
  return std::ranges::binary_search(operations(service), operation);
}

}  // namespace evener::service_model
