#include "control_plane/identity/identity.h"

#include <algorithm>
#include <utility>

#include "service_model/service_model.h"

namespace evener::control_plane {
namespace {

using document::make_boolean;
using document::make_integer;
using document::make_list;
using document::make_object;
using document::make_seconds;
using document::make_string;
using document::Value;

constexpr std::string_view kUserId = "AIDAEVENERLOCALUSER00";
constexpr std::string_view kRoleId = "AROAEVENERLOCALROLE00";
constexpr std::int64_t kRoleCreated = 0;
constexpr std::int64_t kSessionSeconds = 3600;
constexpr std::size_t kNameCharacters = 64;
constexpr std::size_t kMostEvaluations = 1000;
// SageMaker may assume it: what clients look for.
constexpr std::string_view kTrust =
    "%7B%22Version%22%3A%222012-10-17%22%2C%22Statement%22%3A%5B%7B%22Effect%22%3A%22Allow%22%2C"
    "%22Principal%22%3A%7B%22Service%22%3A%22sagemaker.amazonaws.com%22%7D%2C%22Action%22%3A"
    "%22sts%3AAssumeRole%22%7D%5D%7D";

Value text_object(std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
  Value object = make_object();
  for (const auto& [name, text] : members) object.set(name, make_string(text));
  return object;
}

bool role_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("+=,.@_-").find(c) != std::string_view::npos;
}

Result<Value> get_role(const Value& input, const std::string& account) {
  const std::string name(input.text_at("RoleName"));
  if (name.empty() || name.size() > kNameCharacters || !std::ranges::all_of(name, role_name_character))
    return failure(ErrorCode::kInvalidArgument,
                   "The specified value for roleName is invalid. It must contain only alphanumeric "
                   "characters and/or the following: +=,.@_-");
  Value role = text_object({{"Path", "/"},
                            {"RoleName", name},
                            {"RoleId", kRoleId},
                            {"Arn", "arn:aws:iam::" + account + ":role/" + name},
                            {"AssumeRolePolicyDocument", kTrust}});
  role.set("CreateDate", make_seconds(kRoleCreated));
  role.set("MaxSessionDuration", make_integer(kSessionSeconds));
  Value output = make_object();
  output.set("Role", std::move(role));
  return output;
}

Result<Value> simulate_principal_policy(const Value& input) {
  if (input.text_at("PolicySourceArn").empty())
    return failure(ErrorCode::kInvalidArgument, "PolicySourceArn is missing");
  static const std::vector<Value> kEverything{make_string("*")};
  const auto& actions = input.items_at("ActionNames");
  const auto& named = input.items_at("ResourceArns");
  const auto& resources = named.empty() ? kEverything : named;
  if (actions.size() * resources.size() > kMostEvaluations)
    return failure(ErrorCode::kInvalidArgument, "over 1000 pairs of action and resource");
  Value results = make_list({});
  for (const Value& action : actions)
    for (const Value& resource : resources) {
      Value result = text_object({{"EvalActionName", action.text},
                                  {"EvalResourceName", resource.text},
                                  {"EvalDecision", "allowed"}});
      result.set("MatchedStatements", make_list({}));
      result.set("MissingContextValues", make_list({}));
      results.items.push_back(std::move(result));
    }
  Value output = make_object();
  output.set("EvaluationResults", std::move(results));
  output.set("IsTruncated", make_boolean(false));
  return output;
}

// An operation behind the model's own rules on its input.
Operation checked(wire::Service service, service_model::Service model, const std::string& name,
                  Function function) {
  return reading(service, name,
                 [model, name, function = std::move(function)](
                     const Value& input, const Caller& caller) -> Result<Value> {
                   RETURN_IF_ERROR(service_model::check_input(model, name, input));
                   return function(input, caller);
                 });
}

}  // namespace

std::vector<Operation> identity_operations(const std::string& account) {
  using wire::Service;
  return {
      checked(Service::kSts, service_model::Service::kSts, "GetCallerIdentity",
              [account](const Value&, const Caller& caller) -> Result<Value> {
                const std::string user = caller.access_key_id.empty() ? "local" : caller.access_key_id;
                return text_object({{"UserId", kUserId},
                                    {"Account", account},
                                    {"Arn", "arn:aws:iam::" + account + ":user/" + user}});
              }),
      checked(Service::kIam, service_model::Service::kIam, "GetRole",
              [account](const Value& input, const Caller&) { return get_role(input, account); }),
      checked(Service::kIam, service_model::Service::kIam, "SimulatePrincipalPolicy",
              [](const Value& input, const Caller&) { return simulate_principal_policy(input); }),
  };
}

}  // namespace evener::control_plane
