#include <nlohmann/json.hpp>

#include "training/backends/local/job_folder/plan.h"

namespace evener::backends {
namespace {

using nlohmann::json;

constexpr int kPlanVersion = 1;

json services_json(const std::vector<sandbox::HostService>& services) {
  json list = json::array();
  for (const auto& service : services) {
    list.push_back({{"port", service.port},
                    {"target_host", service.target_host},
                    {"target_port", service.target_port}});
  }
  return list;
}

std::vector<sandbox::HostService> services_from(const json& list) {
  std::vector<sandbox::HostService> services;
  for (const json& entry : list) {
    services.push_back({.port = entry.at("port").get<std::uint16_t>(),
                        .target_host = entry.at("target_host").get<std::string>(),
                        .target_port = entry.at("target_port").get<std::uint16_t>()});
  }
  return services;
}

Result<Plan> plan_from(const json& text) {
  if (text.at("version").get<int>() != kPlanVersion) {
    return failure(ErrorCode::kUnsupported, "a plan of another version of evener");
  }
  auto job = jobs::job_from_json(text.at("job").get<std::string>());
  if (!job) return tl::unexpected<Error>(job.error());
  auto kind = engine_kind_from(text.at("engine").get<std::string>());
  if (!kind) return tl::unexpected<Error>(kind.error());
  Plan plan;
  plan.job = std::move(*job);
  plan.engine_kind = *kind;
  plan.isolation = text.at("isolation").get<std::string>() == "plain"
                       ? sandbox::Isolation::kPlain
                       : sandbox::Isolation::kNamespaces;
  plan.masked_paths = text.at("masked_paths").get<std::vector<std::string>>();
  plan.host_services = services_from(text.at("host_services"));
  plan.host_environment =
      text.at("host_environment").get<std::map<std::string, std::string>>();
  return plan;
}

}  // namespace

std::string plan_text(const Plan& plan) {
  const json text = {
      {"version", kPlanVersion},
      {"job", jobs::to_json(plan.job)},
      {"engine", std::string(to_string(plan.engine_kind))},
      {"isolation", plan.isolation == sandbox::Isolation::kPlain ? "plain" : "namespaces"},
      {"masked_paths", plan.masked_paths},
      {"host_services", services_json(plan.host_services)},
      {"host_environment", plan.host_environment},
  };
  return text.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Plan> plan_from_text(std::string_view text) {
  try {
    return plan_from(json::parse(text));
  } catch (const json::exception& error) {
    return failure(ErrorCode::kCorrupt, std::string("plan.json: ") + error.what());
  }
}

}  // namespace evener::backends
